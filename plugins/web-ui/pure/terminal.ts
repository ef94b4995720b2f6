// A line as a terminal would show it: what was written over is folded, colours are kept. Pure.

export interface Piece {
  readonly text: string;
  /** One of eight colours, by its number; bright ones are the same. */
  readonly colour: number | undefined;
  readonly strong: boolean;
}
export interface TerminalLine {
  readonly pieces: readonly Piece[];
  /** How often the line was written over before. */
  readonly folded: number;
}

const sign = /\u001b\[([0-9;?]*)([A-Za-z])/g;

const piecesOf = (text: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let [colour, strong, at] = [undefined as number | undefined, false, 0];
  const push = (end: number) => {
    if (end > at) pieces.push({ text: text.slice(at, end), colour, strong });
  };
  for (const found of text.matchAll(sign)) {
    push(found.index);
    at = found.index + found[0].length;
    if (found[2] !== 'm') continue;
    for (const code of (found[1] ?? '').split(';').map(Number)) {
      if (code === 0) [colour, strong] = [undefined, false];
      else if (code === 1) strong = true;
      else if (code === 22) strong = false;
      else if (code === 39) colour = undefined;
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = code % 10;
    }
  }
  push(text.length);
  return pieces;
};

export const terminalLine = (text: string): TerminalLine => {
  const written = text.split('\r');
  while (written.length > 1 && written.at(-1) === '') written.pop();
  return { pieces: piecesOf(written.at(-1) ?? ''), folded: written.length - 1 };
};
