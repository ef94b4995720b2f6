/**
 * A text as engines write it in lower case (`Dialect.lower`): one character for each, wherever it stands. JavaScript makes two of İ, and tells a sigma
 * at the end of a word from others.
 */
export const lowered = (text: string): string =>
  text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();
