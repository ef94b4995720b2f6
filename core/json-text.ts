// JSON documents that clients send as texts. Pure.

/** What a text stands for; `undefined`, which no JSON stands for, when the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told from every JSON text
  }
};
