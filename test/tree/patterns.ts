// Regular expressions of the product, and texts that would make each of them slow if it backtracked or scanned the same text again.
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import ts from 'typescript';
import type { SourceText } from './source.js';

export interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression that is written out in a file, and the places where one is put together at run time. */
export const patternsIn = ({
  path,
  text,
}: SourceText): { readonly written: readonly Pattern[]; readonly composed: readonly string[] } => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const written: Pattern[] = [];
  const composed: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      written.push({
        place: path,
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
      });
    }
    if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(file) === 'RegExp'
    )
      composed.push(path);
    ts.forEachChild(node, walk);
  };
  walk(file);
  return { written, composed };
};

const probes = [...' \t\n\\"\'`-_.,:;/<>()[]{}=+*?!@#%&$^|~0159aAeEfnNxzZ\0é\u2028\u{1f600}'];

const parts = (
  node: AST.Pattern | AST.Group | AST.CapturingGroup | AST.LookaroundAssertion,
): readonly AST.Alternative[] => node.alternatives;

/** Characters that a node of one character matches; few of them, each of another kind where that can be told. */
const charactersOf = (node: AST.Node, flags: string): readonly string[] => {
  const rule = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gy]/g, ''));
  return probes.filter((one) => rule.test(one));
};

/** Texts that a node matches: at least one, and where it is a choice, some for each. */
const samplesOf = (node: AST.Node, flags: string): readonly string[] => {
  switch (node.type) {
    case 'Character':
      return [String.fromCodePoint(node.value)];
    case 'CharacterSet':
    case 'CharacterClass':
      return charactersOf(node, flags).slice(0, 12);
    case 'Group':
    case 'CapturingGroup':
      return parts(node)
        .flatMap((one) => samplesOf(one, flags))
        .slice(0, 40);
    case 'Alternative':
      return node.elements.reduce<readonly string[]>(
        (before, element) => {
          const here = samplesOf(element, flags);
          return (here.length === 0 ? [''] : here)
            .flatMap((text, place) =>
              (place === 0 ? before : before.slice(0, 1)).map((lead) => lead + text),
            )
            .slice(0, 24);
        },
        [''],
      );
    case 'Quantifier': {
      const once = samplesOf(node.element, flags);
      const least = Math.min(node.min, 20);
      return [
        ...new Set(
          once.flatMap((text) => [
            text.repeat(Math.max(1, least)),
            ...(node.min === 0 ? [''] : []),
          ]),
        ),
      ].slice(0, 24);
    }
    default:
      return [''];
  }
};

/** What may be repeated beyond bounds, with a text that leads there. */
const loopsIn = (
  node: AST.Node,
  flags: string,
  lead: string,
): readonly { readonly lead: string; readonly texts: readonly string[] }[] => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return parts(node).flatMap((one) => loopsIn(one, flags, lead));
    case 'Assertion':
      return node.kind === 'lookahead' || node.kind === 'lookbehind'
        ? parts(node).flatMap((one) => loopsIn(one, flags, lead))
        : [];
    case 'Alternative': {
      let before = lead;
      return node.elements.flatMap((element) => {
        const found = loopsIn(element, flags, before);
        before += samplesOf(element, flags)[0] ?? '';
        return found;
      });
    }
    case 'Quantifier': {
      const within = loopsIn(node.element, flags, lead);
      return node.max < 50
        ? within
        : [
            { lead, texts: samplesOf(node.element, flags).filter((text) => text !== '') },
            ...within,
          ];
    }
    default:
      return [];
  }
};

const rejects = ['', '\0', '\n!', '"', 'x', ' '];

/** Makes texts of a length: what leads to a loop, the loop's own words over and over, and something that does not fit there. */
export const attacksOn = ({ source, flags }: Pattern): readonly ((length: number) => string)[] => {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const attacks = new Map<string, (length: number) => string>();
  const add = (lead: string, word: string, end: string) =>
    attacks.set(
      JSON.stringify([lead, word, end]),
      (length) => lead + word.repeat(Math.ceil(length / word.length)) + end,
    );
  for (const { lead, texts } of loopsIn(pattern, flags, '')) {
    if (lead !== '') for (const end of rejects) add('', lead, end);
    for (const word of texts) {
      for (const end of rejects) add(lead, word, end);
      for (const end of rejects.slice(0, 2)) {
        add('', lead + word, end);
        add('', word, end);
      }
    }
  }
  for (const whole of pattern.alternatives.flatMap((one) => samplesOf(one, flags).slice(0, 8))) {
    for (const word of [whole, whole.slice(0, -1)]) if (word !== '') add('', word, '\0');
  }
  return [...attacks.values()];
};
