// JSON that goes through as it came: what a client sent is stored and sent back letter by letter, so that no number is rounded and no member sorted anew.

/** What stands in the place of the texts of a value while it is written. */
interface Writing {
  readonly sign: string;
  readonly texts: string[];
}
let writing: Writing | undefined;

/** A JSON value that is kept as its text: without blanks around values, without escapes that need not be, every digit of its numbers. */
export class KeptJson {
  constructor(readonly json: string) {}

  toJSON(): unknown {
    return writing === undefined
      ? (JSON.parse(this.json) as unknown)
      : `${writing.sign}${writing.texts.push(this.json) - 1}`;
  }
}

/** How often another sign is tried where a text that somebody sent holds the one before. */
const attempts = 3;

/** The JSON of a value in pieces that follow each other: the texts of `KeptJson` as they are, and what stands between them. */
export const keptPieces = (value: unknown): readonly string[] => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { sign, texts } = (writing = { sign: `kept ${attempt} as sent `, texts: [] });
    try {
      const json = JSON.stringify(value);
      if (texts.length === 0) return [json];
      const marked = json.split(`"${sign}`);
      if (marked.length - 1 !== texts.length) continue;
      const pieces = [marked[0] ?? ''];
      for (const part of marked.slice(1))
        pieces.push(texts[Number.parseInt(part, 10)] ?? '', part.slice(part.indexOf('"') + 1));
      return pieces;
    } finally {
      writing = undefined;
    }
  }
  return [JSON.stringify(value)]; // somebody tries to pass for a text; values do, rounded
};

/** As `JSON.stringify`, with the texts of `KeptJson` as they are. */
export const stringifyKept = (value: unknown): string => {
  const [first = '', ...others] = keptPieces(value);
  return others.length === 0 ? first : first + others.join('');
};
