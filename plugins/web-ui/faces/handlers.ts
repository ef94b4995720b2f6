// Pages that answer in other forms too: which form a request asks for, and what is read for it.
import type { Handlers } from '#ports/api/operation';
import { faceEndings, faceTaken, type FaceEnding } from '#ports/api/faces';
import type { Download } from '#ports/bytes';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Images } from '#ports/images';
import type { Caller } from '#ports/model/identity';
import type { Operations } from '#ports/operations';
import type { OfProject } from '../beginning.js';
import { readAxis } from '../pure/axis.js';
import type { appOperations } from '../rows.js';
import { asking, type Ask, type Faced } from './asking.js';
import { compareSheet } from './compare.js';
import { chartsShown, faceBytes, type Face, type FormNeeds } from './forms.js';
import { modelSheet, modelsSheet } from './models.js';
import type { Place } from './projects.js';
import { runSheet } from './run.js';
import { runsSheet } from './runs.js';
import { searchOf } from './search.js';
import { traceSheet, tracesSheet } from './traces.js';

export interface FaceNeeds {
  readonly operations: Pick<Operations, 'call'>;
  readonly images: Images;
  readonly clock: Clock;
}

/** What the faces take of the plugin besides. */
export type FaceParts = FaceNeeds & Pick<FormNeeds, 'report'>;

/** The page itself; of a project with what it asks first, of its runs with the first of them. To nobody, as to whoever reads by a share code, it holds nothing. */
export type ShowPage = (
  to: { readonly caller: Caller | undefined; readonly path: string },
  of?: Place & Pick<OfProject, 'search' | 'trace' | 'traces'>,
) => Download;

interface Asked {
  readonly caller: Caller | undefined;
  /** The share code of the address. */
  readonly code?: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly agent: string;
  readonly path: string;
  readonly address: string;
  readonly source: string;
  readonly signal: AbortSignal;
}

/** A name that ends in a form, without it. */
const splitEnding = (
  name: string,
): { readonly name: string; readonly ending: FaceEnding | undefined } => {
  const ending = faceEndings.find(
    (one) => name.endsWith(`.${one}`) && name.length > one.length + 1,
  );
  return { name: ending === undefined ? name : name.slice(0, -ending.length - 1), ending };
};

const formOf = (
  { query, headers, agent }: Asked,
  ending: FaceEnding | undefined,
): FaceEnding | 'html' => {
  const { accept } = headers;
  const named = searchOf(query).get('format');
  const found = (['html', ...faceEndings] as const).find((one) => one === named);
  if (named !== null && found === undefined)
    throw new Failure('invalid', `the format must be html, ${faceEndings.join(', ')}`);
  return found ?? ending ?? faceTaken(typeof accept === 'string' ? accept : '', agent);
};

type Rows = Pick<
  Handlers<typeof appOperations>,
  | 'showRuns'
  | 'showComparison'
  | 'showRun'
  | 'showTraces'
  | 'showTracePage'
  | 'showModels'
  | 'showModel'
  | 'showSharedRuns'
  | 'showSharedComparison'
  | 'showSharedRun'
>;

export const faceHandlers = (
  { operations, images, clock, report }: FaceParts,
  page: ShowPage,
): Rows => {
  const askFor = ({ caller, address, source, signal }: Asked): Ask => {
    if (caller === undefined)
      throw new Failure('absent', 'there is no project that is shared by this code');
    return asking(operations, caller, { address, source, signal });
  };
  /** A face whose path is the one that was asked for. */
  const asSeen = ({ code }: Asked, face: Face): Face =>
    code === undefined
      ? face
      : {
          ...face,
          sheet: { ...face.sheet, path: `/s/${encodeURIComponent(code)}${face.sheet.path}` },
        };
  const asShared = <C extends Asked & { readonly params: { readonly code: string } }>(
    call: C,
  ): C => ({ ...call, code: call.params.code });

  /** The page, or what `make` reads in the form that is asked for. */
  const answer = async (
    asked: Asked,
    ending: FaceEnding | undefined,
    make: (faced: Faced) => Promise<Face>,
    itself: () => Download = () => page(asked),
  ): Promise<Download> => {
    const form = formOf(asked, ending);
    if (form === 'html') return itself();
    const search = searchOf(asked.query);
    const of = (['table', 'charts'] as const).find((one) => one === search.get('of'));
    const face = await make({
      ask: askFor(asked),
      search,
      charts: chartsShown(form, of),
      now: clock.now(),
    });
    return faceBytes({ images, report }, asSeen(asked, face), {
      form,
      ofCharts: of === 'charts',
      dark: search.get('dark') === '1',
      axis: readAxis(search),
      host: asked.headers['host'],
      now: clock.now(),
    });
  };

  /** Whether the workspace has a model of this very name. */
  const hasModel = async (ask: Ask, workspace: string, name: string): Promise<boolean> => {
    try {
      await ask('getCompactModel', { query: { workspaceName: workspace, modelName: name } });
      return true;
    } catch (thrown) {
      if (isFailure(thrown) && thrown.kind === 'absent') return false;
      throw thrown;
    }
  };

  return {
    showSharedRuns: async (call) =>
      answer(
        asShared(call),
        call.params.ending,
        async (faced) => ({ sheet: await runsSheet(faced, call.params) }),
        () => page({ ...call, caller: undefined }),
      ),
    showSharedComparison: async (call) =>
      answer(
        asShared(call),
        call.params.ending,
        async (faced) => ({ sheet: await compareSheet(faced, call.params) }),
        () => page({ ...call, caller: undefined }),
      ),
    async showSharedRun(call) {
      const { name, ending } = splitEnding(call.params.key);
      return answer(
        asShared(call),
        ending,
        (faced) => runSheet(faced, call.params, name),
        () => page({ ...call, caller: undefined }),
      );
    },
    showRuns: async (call) =>
      answer(
        call,
        call.params.ending,
        async (faced) => ({ sheet: await runsSheet(faced, call.params) }),
        () => page(call, { ...call.params, search: searchOf(call.query) }),
      ),
    showComparison: async (call) =>
      answer(call, call.params.ending, async (faced) => ({
        sheet: await compareSheet(faced, call.params),
      })),
    async showRun(call) {
      const { name, ending } = splitEnding(call.params.key);
      return answer(call, ending, (faced) => runSheet(faced, call.params, name));
    },
    showTraces: async (call) =>
      answer(
        call,
        call.params.ending,
        async (faced) => ({ sheet: await tracesSheet(faced, call.params) }),
        () =>
          page(call, {
            ...call.params,
            traces: { search: searchOf(call.query), now: clock.now() },
          }),
      ),
    async showTracePage(call) {
      const { name, ending } = splitEnding(call.params.key);
      return answer(
        call,
        ending,
        async (faced) => ({ sheet: await traceSheet(faced, call.params, name) }),
        () => page(call, { ...call.params, trace: call.params.key }),
      );
    },
    showModels: async (call) =>
      answer(call, call.params.ending, async (faced) => ({
        sheet: await modelsSheet(faced, call.params.workspace),
      })),
    async showModel(call) {
      const { workspace, name, version } = call.params;
      const last = splitEnding(version ?? name);
      const named =
        version === undefined ? { name: last.name, version } : { name, version: last.name };
      const isWhole =
        last.ending !== undefined &&
        version === undefined &&
        (await hasModel(askFor(call), workspace, name));
      return answer(call, isWhole ? undefined : last.ending, async (faced) => ({
        sheet: await modelSheet(faced, {
          workspace,
          ...(isWhole ? { name, version } : named),
        }),
      }));
    },
  };
};
