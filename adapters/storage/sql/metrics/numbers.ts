const plain = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?$/;

/** The number that a text stands for, `NaN` when it is not one; Python's and Java's spellings of the odd ones count. */
export const numberOf = (text: string): number => {
  if (plain.test(text)) return Number(text);
  const trimmed = text.trim();
  if (/^[+-]?(inf|infinity)$/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)
    ? Number(trimmed)
    : Number.NaN;
};
