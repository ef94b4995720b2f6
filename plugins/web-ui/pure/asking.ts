// A request as text: what the server sends along with a page is known by it. Pure.

/** The address of a row, with its parameters filled in. */
export const addressOf = (
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  );
  return given.length === 0 ? filled : `${filled}?${search.toString()}`;
};

/** The same address, asked for by a share code in place of a session. */
export const sharedAddress = (address: string, code: string | undefined): string =>
  code === undefined
    ? address
    : `${address}${address.includes('?') ? '&' : '?'}shareCode=${encodeURIComponent(code)}`;

/** What sets one request apart from all others. */
export const requestKey = (method: string, address: string, body: unknown): string =>
  `${method} ${address} ${body === undefined ? '' : JSON.stringify(body)}`;

/** Replies by the key of their request. */
export type Replies = Readonly<Record<string, unknown>>;

/** The id of the element that holds them, and of those with the curves that are drawn first and with the first spans of a trace. */
export const [repliesId, curvesId, spansId] = ['replies', 'curves', 'spans'] as const;
/** Stands behind data that more follows: once it is there, all of the data is. */
export const behindData = '<i hidden></i>';

/** What the page brings last: the bytes that answer a request, which itself stands among the replies under this id. */
export type BroughtId = typeof curvesId | typeof spansId;
export interface BroughtBytes {
  /** In base64. */
  readonly bytes: string;
}
