// Notes as people write them in Markdown: the marks of headings, lists, quotes, code, tables, links and stress. HTML in them is text. Pure.

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'stress'; readonly inside: readonly Inline[] }
  | { readonly kind: 'link'; readonly to: string; readonly inside: readonly Inline[] };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inside: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'rule' };

/** Nested no deeper, so that no text can make a page that never ends. */
const deepest = 8;

/** A link leads to another page and nowhere else: what would run script is text. */
const isSafe = (to: string): boolean => /^(https?:\/\/|\/(?!\/)|#)/i.test(to);

const marks: readonly {
  readonly pattern: RegExp;
  readonly make: (found: readonly string[], depth: number) => Inline | undefined;
}[] = [
  { pattern: /^`([^`\n]+)`/, make: ([, text = '']) => ({ kind: 'code', text }) },
  {
    pattern: /^\*\*(?=\S)([^*]+(?:\*[^*]+\*[^*]*)*)\*\*/,
    make: ([, text = ''], depth) => ({ kind: 'strong', inside: inlinesOf(text, depth) }),
  },
  {
    pattern: /^[*_](?=\S)([^*_\n]+)[*_](?![\w*_])/,
    make: ([, text = ''], depth) => ({ kind: 'stress', inside: inlinesOf(text, depth) }),
  },
  {
    pattern: /^\[([^\]\n]*)\]\(([^\s)]+)\)/,
    make: ([, text = '', to = ''], depth) =>
      isSafe(to) ? { kind: 'link', to, inside: inlinesOf(text, depth) } : undefined,
  },
  {
    pattern: /^https?:\/\/[^\s<>")\]]+[^\s<>")\].,;:!?']/i,
    make: ([to = '']) => ({ kind: 'link', to, inside: [{ kind: 'text', text: to }] }),
  },
];

/** Where a mark may begin. */
const begins = /[`*_[]|https?:/gi;

export const inlinesOf = (text: string, depth = 0): readonly Inline[] => {
  if (depth > deepest) return [{ kind: 'text', text }];
  const found: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') found.push({ kind: 'text', text: plain });
    plain = '';
  };
  let at = 0;
  while (at < text.length) {
    begins.lastIndex = at;
    const next = begins.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const rest = text.slice(at, at + 4000);
    const inWord = /\w$/.test(plain) && rest.startsWith('_');
    const made = inWord
      ? undefined
      : marks.reduce<{ inline: Inline; length: number } | undefined>(
          (before, { pattern, make }) => {
            if (before !== undefined) return before;
            const match = pattern.exec(rest);
            const inline = match === null ? undefined : make([...match], depth + 1);
            return inline === undefined ? undefined : { inline, length: match?.[0].length ?? 1 };
          },
          undefined,
        );
    if (made === undefined) {
      plain += text.charAt(at);
      at++;
    } else {
      flush();
      found.push(made.inline);
      at += made.length;
    }
  }
  flush();
  return found;
};

const bullet = /^( {0,3})([-*+]|\d{1,9}[.)]) (.*)$/;
const fence = /^\s{0,3}(`{3,}|~{3,})/;

const cellTexts = (line: string): readonly string[] => {
  const text = line.trim();
  const from = text.startsWith('|') ? 1 : 0;
  const to = text.length > 1 && text.endsWith('|') ? -1 : undefined;
  return text
    .slice(from, to)
    .split('|')
    .map((cell) => cell.trim());
};
const cellsOf = (line: string): readonly (readonly Inline[])[] =>
  cellTexts(line).map((cell) => inlinesOf(cell));

/** Reads lines from the first on; each reader takes those that are its own, and says how many they are. */
type Reader = (
  lines: readonly string[],
  depth: number,
) => { readonly block: Block; readonly taken: number } | undefined;

const readCode: Reader = (lines) => {
  const [, sign] = fence.exec(lines[0] ?? '') ?? [];
  if (sign === undefined) return undefined;
  const end = lines.findIndex((line, at) => at > 0 && line.trim().startsWith(sign));
  const inside = lines.slice(1, end < 0 ? lines.length : end);
  return {
    block: { kind: 'code', text: inside.join('\n') },
    taken: end < 0 ? lines.length : end + 1,
  };
};

const readHeading: Reader = ([line = '']) => {
  const [, signs = '', words = ''] = /^ {0,3}(#{1,6}) (.*)$/.exec(line) ?? [];
  if (signs === '') return undefined;
  let text = words.trim();
  while (text.endsWith('#')) text = text.slice(0, -1);
  return {
    block: { kind: 'heading', level: signs.length, inside: inlinesOf(text.trim()) },
    taken: 1,
  };
};

const readRule: Reader = ([line = '']) =>
  /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line) ? { block: { kind: 'rule' }, taken: 1 } : undefined;

const readQuote: Reader = (lines, depth) => {
  const end = lines.findIndex((line) => !/^\s{0,3}>/.test(line));
  const inside = lines.slice(0, end < 0 ? lines.length : end);
  if (inside.length === 0) return undefined;
  const text = inside.map((line) => line.replace(/^\s{0,3}>\s?/, ''));
  return { block: { kind: 'quote', blocks: blocksIn(text, depth + 1) }, taken: inside.length };
};

const readList: Reader = (lines, depth) => {
  const first = bullet.exec(lines[0] ?? '');
  if (first === null) return undefined;
  const ordered = /\d/.test(first[2] ?? '');
  const items: string[][] = [];
  let at = 0;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const item = bullet.exec(line);
    if (item !== null && /\d/.test(item[2] ?? '') === ordered) items.push([item[3] ?? '']);
    else if (/^\s{2,}\S/.test(line)) items.at(-1)?.push(line.replace(/^\s{2,4}/, ''));
    else break;
  }
  return {
    block: { kind: 'list', ordered, items: items.map((item) => blocksIn(item, depth + 1)) },
    taken: at,
  };
};

const readTable: Reader = ([head = '', rule = '', ...rest]) => {
  const isRule = cellTexts(rule).every((cell) => /^:?-+:?$/.test(cell));
  if (!head.includes('|') || !isRule) return undefined;
  const end = rest.findIndex((line) => !line.includes('|'));
  const body = rest.slice(0, end < 0 ? rest.length : end);
  return { block: { kind: 'table', rows: [head, ...body].map(cellsOf) }, taken: 2 + body.length };
};

const readers: readonly Reader[] = [
  readCode,
  readHeading,
  readRule,
  readQuote,
  readList,
  readTable,
];

const readBlock: Reader = (lines, depth) => {
  if (depth > deepest) return undefined;
  for (const read of readers) {
    const found = read(lines, depth);
    if (found !== undefined) return found;
  }
  return undefined;
};

const blocksIn = (lines: readonly string[], depth: number): readonly Block[] => {
  const blocks: Block[] = [];
  let words: string[] = [];
  const flush = () => {
    if (words.length > 0) blocks.push({ kind: 'paragraph', inside: inlinesOf(words.join('\n')) });
    words = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const found = line.trim() === '' ? undefined : readBlock(lines.slice(at, at + 2000), depth);
    if (found !== undefined) {
      flush();
      blocks.push(found.block);
      at += found.taken;
    } else {
      if (line.trim() === '') flush();
      else words.push(line.trim());
      at++;
    }
  }
  flush();
  return blocks;
};

/** What is read of a text at most, in letters and in lines; the rest follows as it is. */
const most = { letters: 100_000, lines: 5000 } as const;

export const blocksOf = (text: string): readonly Block[] => {
  const lines = text.slice(0, most.letters).replaceAll('\r\n', '\n').split('\n');
  const rest = lines.slice(most.lines).join('\n') + text.slice(most.letters);
  return [
    ...blocksIn(lines.slice(0, most.lines), 0),
    ...(rest === '' ? [] : [{ kind: 'code' as const, text: rest }]),
  ];
};
