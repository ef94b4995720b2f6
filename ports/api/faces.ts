// The forms in which one address may answer, and how a request says which it takes. Pure.

/** Each form by the ending that names it, with its media type. */
export const faceTypes = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  /** One file that shows the same without a server. */
  report: 'text/html; charset=utf-8',
} as const;
export type FaceName = keyof typeof faceTypes;

/** Every form but the page itself, which needs no ending. */
export const faceEndings = ['json', 'csv', 'svg', 'png', 'md', 'txt', 'report'] as const;
export type FaceEnding = (typeof faceEndings)[number];

/** Programs of a terminal, which take everything and show text. */
const isTerminal = (agent: string): boolean => /^(?:curl|wget|httpie)\//i.test(agent);

interface Taken {
  readonly type: string;
  readonly weight: number;
}

const readTaken = (accept: string): readonly Taken[] =>
  accept
    .split(',')
    .slice(0, 50)
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
      return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
    })
    .filter(({ type, weight }) => type !== '' && weight > 0);

/** Types that more than one form could be called by, and other names of a form. */
const named: Readonly<Record<string, FaceName>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'json',
  'text/csv': 'csv',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

/** The form that a request takes best; the page where it names none that there is, and text for what shows pages in a terminal. */
export const faceTaken = (accept = '', agent = ''): FaceName => {
  const best = readTaken(accept)
    .filter(({ type }) => Object.hasOwn(named, type))
    .sort((one, other) => other.weight - one.weight)[0];
  return (
    (best === undefined ? undefined : named[best.type]) ?? (isTerminal(agent) ? 'txt' : 'html')
  );
};

/** Whether a page says anything to who asks: a program that takes another form, or shows text in a terminal, is told in text. */
export const takesPages = (accept = '', agent = ''): boolean => faceTaken(accept, agent) === 'html';
