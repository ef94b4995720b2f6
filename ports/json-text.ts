// Texts of JSON, and those with numbers that JSON does not have. Every function takes time in proportion to the text.

/** Half of a surrogate pair as `JSON.stringify` writes it; no engine reads it. */
const loneSurrogate =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
/** Without this in it no text has one. */
const surrogateSign = '\\ud';

/** The text of a value that is not undefined; what no text can hold is replaced. */
export const jsonTextOf = (value: unknown): string => {
  const json = JSON.stringify(value);
  return json.includes(surrogateSign) && loneSurrogate.test(json)
    ? JSON.stringify(value, (_, item: unknown) =>
        typeof item === 'string' ? item.toWellFormed() : item,
      )
    : json;
};

const backslash = 0x5c;

/** Where the string ends whose first character stands at `from`; -1 when it does not end. */
export const closingQuote = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
};

/** Puts something in place of NaN and infinities wherever they stand outside of strings: Python and others write them as bare words. */
export const replaceOddNumbers = (text: string, replace: (number: string) => string): string => {
  const token = /"|-?Infinity|NaN/g;
  let replaced = '';
  let done = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') {
      const end = closingQuote(text, token.lastIndex);
      if (end === -1) break;
      token.lastIndex = end + 1;
    } else {
      replaced += text.slice(done, found.index) + replace(found[0]);
      done = token.lastIndex;
    }
  }
  return replaced + text.slice(done);
};

/** Puts them into quotes. */
export const quoteOddNumbers = (text: string): string =>
  replaceOddNumbers(text, (number) => `"${number}"`);
