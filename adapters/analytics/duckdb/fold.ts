/** A name as the engine compares it: letters beyond ASCII, such as the sign of Kelvin, are none of those within. */
export const fold = (name: string): string =>
  name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
