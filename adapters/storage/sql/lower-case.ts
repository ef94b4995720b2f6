/**
 * A text as engines write it in lower case (`Dialect.lower`): one character for each, wherever it stands. JavaScript makes two of İ, and tells a sigma
 * at the end of a word from others.
 */
export const lowered = (text: string): string =>
  text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();

/** Letters that came into Unicode after 5.2, of whose lower case not every engine knows (`Dialect.lower`): Cherokee, Georgian capitals and others. */
const newer =
  /[\u{37f}\u{526}\u{528}\u{52a}\u{52c}\u{52e}\u{10c7}\u{10cd}\u{13a0}-\u{13f5}\u{1c89}\u{1c90}-\u{1cba}\u{1cbd}-\u{1cbf}\u{2c2f}\u{2cf2}\u{a660}\u{a698}\u{a69a}\u{a78d}\u{a790}\u{a792}\u{a796}-\u{a7ae}\u{a7b0}-\u{a7b4}\u{a7b6}-\u{a7dc}\u{a7f5}\u{104b0}-\u{104d3}\u{10570}-\u{10595}\u{10c80}-\u{10cb2}\u{10d50}-\u{10d65}\u{118a0}-\u{118bf}\u{16e40}-\u{16e5f}\u{16ea0}-\u{16eb8}\u{1e900}-\u{1e921}]/u;

/** Whether an engine may leave a letter of a text as it is. Such a text is to be found at least as it was written. */
export const hasNewerLetters = (text: string): boolean => newer.test(text);
