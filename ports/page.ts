/** Which part of a list: pages count from 1. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** One page of a list, in the list's stated order; `total` counts all of it. */
export interface Page<T> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly content: readonly T[];
}

/** How far a list of what happened is counted and paged, where nobody ever removes from it: the newest ones. */
export const mostListed = 5000;
