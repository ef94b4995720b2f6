// Annotation queues with items, and somebody else who reviews them too.
import type { Screens } from './signed-in.js';
import { markup, sendTraces, type SentTraces } from './trace-data.js';

const wire = '/opik/api/v1/private';
type Row = Readonly<Record<string, unknown>>;

export interface SentReviews extends SentTraces {
  readonly projectId: string;
  /** The keys of two more members: one who reviews, and one who may look only. */
  readonly ann: string;
  readonly viewer: string;
}
export const viewerPassword = 'marble-Canoe-57-thistle';
export const longName = `${'long '.repeat(45)}${markup}`;

/** Sends as whoever has a key. */
export const askAs = async (
  screens: Screens,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Row> => {
  const reply = await fetch(`${screens.server.url}${wire}/${path}`, {
    method,
    headers: {
      authorization: key,
      'comet-workspace': screens.server.workspace,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Row; // an object, as every reply of the API
};

const addMember = async (screens: Screens, userName: string, more: object): Promise<string> => {
  const { apiKey } = await screens.ask('POST', '/api/admin/users', { userName, ...more });
  await screens.ask('POST', '/api/rest/v2/write/add-workspace-member', {
    workspaceName: screens.server.workspace,
    userName,
  });
  return String(apiKey);
};

const definitions = [
  ['Helpful', 'categorical', { categories: { no: 0, partly: 0.5, yes: 1 } }],
  ['Grounded', 'boolean', { trueLabel: 'it is', falseLabel: 'it is not' }],
  ['Stars', 'numerical', { min: 1, max: 5 }],
] as const;

/** Sends traces, definitions of scores, members, and the key for a server of models. */
export const sendReviews = async (screens: Screens, models: string): Promise<SentReviews> => {
  const sent = await sendTraces(screens);
  const project = await screens.ask('POST', `${wire}/projects/retrieve`, { name: 'vision' });
  for (const [name, type, details] of definitions)
    await screens.ask('POST', `${wire}/feedback-definitions`, { name, type, details });
  await screens.ask('POST', `${wire}/llm-provider-key`, {
    ...{ provider: 'custom-llm', provider_name: 'bench', api_key: 'none', base_url: models },
    configuration: { models: 'judge, broken' },
  });
  return {
    ...sent,
    projectId: String(project['id']),
    ann: await addMember(screens, 'ann', {}),
    viewer: await addMember(screens, 'vic', { viewOnly: true, password: viewerPassword }),
  };
};

/** What is stored, as a list of the wire shows it. */
export const listStored = async (screens: Screens, path: string): Promise<readonly Row[]> => {
  const { content } = await screens.ask('GET', `${wire}/${path}`);
  return content as readonly Row[]; // as every list of the wire
};

/** The scores of a trace that somebody gave, by their names. */
export const scoresOf = async (
  screens: Screens,
  traceId: string,
  author: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const trace = await screens.ask('GET', `${wire}/traces/${traceId}`);
  const all = (trace['feedback_scores'] ?? []) as readonly {
    readonly name: string;
    readonly value_by_author: Readonly<Record<string, { readonly value: number }>>;
  }[]; // as the row says
  return Object.fromEntries(
    all.flatMap(({ name, value_by_author: by }) =>
      by[author] === undefined ? [] : [[name, by[author].value]],
    ),
  );
};
