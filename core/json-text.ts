// JSON documents that clients send as texts. Pure.

/** Puts words into quotes that are no JSON, where a client's language writes them bare. */
export const mendNumbers = (text: string): string => text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (word) => (word.startsWith('"') ? word : `"${word}"`));

/** What a text stands for; `undefined`, which no JSON stands for, where it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told from every JSON text
  }
};
