// A browser without a window: keeps cookies, sends forms, follows nothing by itself.

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: string | null;
  /** The body as a JSON object; fails when it is not one. */
  readonly json: Record<string, unknown>;
}

export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Shown>;
  /** Sends the form of a page as the page has it, with these fields filled in. */
  submit(path: string, fields: Readonly<Record<string, string>>, action?: string): Promise<Shown>;
  /** Sends fields as a form, without looking at a page first. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>;
  /** A call as JSON; with the CSRF token of the session once `whoAmI` has told it. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>;
  /** Asks the server for the CSRF token of the session, which `call` sends from then on. */
  whoAmI(): Promise<Record<string, unknown>>;
}

const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The hidden fields of the form that is sent to an address. */
const hiddenOf = (page: string, action: string): Readonly<Record<string, string>> => {
  const [, form] =
    new RegExp(
      `<form method="post" action="${action.replaceAll(/[.*+?^$()|[\]\\{}]/g, String.raw`\$&`)}">(.*?)</form>`,
      's',
    ).exec(page) ?? [];
  if (form === undefined)
    throw new Error(`the page has no form for ${action}: ${page.slice(-1500)}`);
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="(.*?)" value="(.*?)">/g)].map(
      ([, name = '', value = '']) => [unescape(name), unescape(value)],
    ),
  );
};

/** `address` is where it says to be, which a server that trusts this machine as a proxy believes. */
export const browse = (url: string, address = '198.51.100.1'): Browser => {
  const cookies = new Map<string, string>();
  let csrf: string | undefined;
  const ask = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Shown> => {
    const reply = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookies.size === 0
          ? {}
          : { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'X-Forwarded-For': address,
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1);
      const at = pair.indexOf('=');
      if (/max-age=0\b/i.test(cookie)) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      location: reply.headers.get('Location'),
      get json() {
        return JSON.parse(text) as Record<string, unknown>;
      },
    }; // every JSON reply is an object
  };
  const post: Browser['post'] = (path, fields, headers = {}) =>
    ask(
      'POST',
      path,
      { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      new URLSearchParams(fields).toString(),
    );
  return {
    cookies,
    post,
    get: (path) => ask('GET', path, {}),
    async submit(path, fields, action = path.split('?', 1)[0] ?? path) {
      const page = await ask('GET', path, {});
      return post(action, { ...hiddenOf(page.text, action), ...fields });
    },
    call: (method, path, body, headers = {}) =>
      ask(
        method,
        path,
        {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(csrf === undefined ? {} : { 'X-CSRF-Token': csrf }),
          ...headers,
        },
        body === undefined ? undefined : JSON.stringify(body),
      ),
    async whoAmI() {
      const { json } = await ask('GET', '/api/auth/session', {});
      csrf = typeof json['csrfToken'] === 'string' ? json['csrfToken'] : undefined;
      return json;
    },
  };
};
