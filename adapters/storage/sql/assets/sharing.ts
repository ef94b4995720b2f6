/** Assets of one experiment, and notes of uploads, that share a transaction. */
export const together = 100;
/** How many may wait for one. */
export const mostWaiting = 5000;
