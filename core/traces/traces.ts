import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { traceOperations } from '#ports/api/traces';
import type { Download } from '#ports/bytes';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { TraceEntry } from '#ports/model/traces';
import type { Workspace } from '#ports/model/workspaces';
import { Readiness } from '#ports/readiness';
import { Settings } from '#ports/settings';
import { storageOf } from '#ports/storage/storage';
import type { Decide } from '#ports/storage/traces';
import { mergeCreated, mergeUpdated, partialSpan, partialTrace, readBatch } from './merging.js';
import { namingOf, projectToRead, projectToWrite, type Named } from './projects.js';
import {
  readId,
  readSpan,
  readSpanChange,
  readTags,
  readTrace,
  readTraceChange,
  retag,
  retags,
  type Retagging,
  type Writing,
} from './reading.js';
import { showSpan, showTrace, toLine } from './wire.js';

const [usualLimit, mostLimit] = [500, 2000];
const mostIds = 1000;
/** Rows that are read at once while a stream is written: their bodies may be long. */
const rowsAtOnce = 100;

interface Asked extends Named {
  readonly filters?: readonly unknown[] | undefined;
  readonly limit?: number | undefined;
  readonly last_retrieved_id?: string | undefined;
  readonly truncate?: boolean | undefined;
}

const readLimit = ({ limit = usualLimit }: Asked): number => {
  if (limit < 1 || limit > mostLimit)
    throw new Failure('unprocessable', `limit must be from 1 to ${mostLimit}`);
  return limit;
};
const refuseFilters = ({ filters = [] }: Asked): void => {
  if (filters.length > 0) throw new Failure('invalid', 'filters are not taken yet');
};
const requireSome = (name: string, { length }: readonly unknown[]): void => {
  if (length === 0 || length > mostIds)
    throw new Failure('unprocessable', `${name} size must be between 1 and ${mostIds}`);
};

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
};

/** Lines of a search, read a page at a time as they are taken. */
const streamOf = <T extends TraceEntry>(
  { last_retrieved_id: after, ...asked }: Asked,
  listPage: (page: { readonly beforeId?: string; readonly limit: number }) => Promise<readonly T[]>,
  show: (page: readonly T[]) => Promise<readonly object[]>,
): Download => {
  const limit = readLimit(asked);
  async function* lines(): AsyncIterable<Uint8Array> {
    let beforeId = after === undefined ? undefined : readId(after, 'last retrieved');
    for (let left = limit; left > 0;) {
      const wanted = Math.min(left, rowsAtOnce);
      const page = await listPage({
        limit: wanted,
        ...(beforeId === undefined ? {} : { beforeId }),
      });
      for (const shown of await show(page)) yield new TextEncoder().encode(toLine(shown));
      left -= page.length;
      beforeId = page.at(-1)?.id;
      if (page.length < wanted) return;
    }
  }
  if (after !== undefined) readId(after, 'last retrieved');
  return { type: 'application/octet-stream', open: lines };
};

async function* nothing(): AsyncIterable<Uint8Array> {
  // an unknown project has no rows
}
const emptyStream: Download = { type: 'application/octet-stream', open: nothing };

const mismatch = (what: string, id: string) =>
  new Failure('conflict', `${what} ${id} is in another project than the one that is named`);

export const tracesArea = area({
  name: 'traces',
  summary: 'Traces and spans of LLM applications, as SDKs write and read them.',
  family: privateFamily,
  table: traceOperations,
  needs: {
    storage: storageOf('traces', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
    readiness: Readiness,
    settings: Settings,
  },
  handlers: ({ storage, clock, ids, readiness, settings }) => {
    const { traces } = storage.stores;
    let lastMoment = 0;
    /** Microseconds, no two alike: of two writes that do not say when they were made, the later one must win. */
    const nextMoment = (): number => (lastMoment = Math.max(lastMoment + 1, clock.now() * 1000));
    const writingOf = ({ userName }: Caller): Writing => ({
      now: nextMoment(),
      by: userName,
      newId: () => ids.next(),
    });
    const projectOf = (workspace: Workspace, caller: Caller, named: Named): Promise<Project> =>
      projectToWrite(storage, { clock, ids }, { workspace, caller, named });

    /** Stores a batch, project by project; nothing is stored before all of it was read. */
    const storeBatch = async <
      S extends Named & { readonly last_updated_at?: string | undefined },
      T extends TraceEntry,
    >(
      { workspace, caller }: { readonly workspace: Workspace; readonly caller: Caller },
      sent: readonly S[],
      read: (one: S, projectId: string, writing: Writing) => T,
      change: (projectId: string, ids: readonly string[], decide: Decide<T>) => Promise<void>,
    ): Promise<void> => {
      const byNaming = groupBy(
        sent.map((item) => ({ item, entry: read(item, '', writingOf(caller)) })),
        ({ item }) => namingOf(item),
      );
      for (const items of byNaming.values()) {
        const [first] = items;
        if (first === undefined) continue;
        const { id: projectId } = await projectOf(workspace, caller, first.item);
        const batch = readBatch(
          items.map(({ item, entry }) => ({
            id: entry.id,
            stamped: item.last_updated_at !== undefined,
            entry: { ...entry, projectId },
          })),
        );
        const entries = groupBy(batch, ({ id }) => id);
        await change(projectId, [...entries.keys()], (id, stored) =>
          (entries.get(id) ?? []).reduce<T | undefined>(
            (before, { entry }) => mergeCreated(before, entry),
            stored,
          ),
        );
      }
    };
    /** Refuses what is there as a whole already, or in another project. */
    const decideFresh =
      <T extends TraceEntry>(what: string, entry: T): Decide<T> =>
      (_, stored) => {
        if (stored !== undefined && !stored.partial)
          throw new Failure('conflict', `${what} already exists`);
        return mergeCreated(stored, entry);
      };
    const requireSameProject = (what: string, found: TraceEntry | undefined, { id }: Project) => {
      if (found !== undefined && found.projectId !== id) throw mismatch(what, found.id);
    };
    const withTags = <T extends TraceEntry>(entry: T, sent: Retagging): T =>
      retags(sent) ? { ...entry, tags: retag(entry, sent) } : entry;
    const showTraces = async (
      project: Project,
      page: Parameters<typeof showTrace>[0][],
      truncate: boolean,
    ) => {
      const figures = await traces.listSpanFigures(
        project.id,
        page.map(({ id }) => id),
      );
      const byTrace = groupBy(figures, ({ traceId }) => traceId);
      return page.map((one) => showTrace(one, byTrace.get(one.id) ?? [], truncate));
    };

    return {
      async createTraces({ body, workspace, caller }) {
        requireSome('traces', body.traces);
        await storeBatch({ workspace, caller }, body.traces, readTrace, traces.changeTraces);
        return undefined;
      },
      async createSpans({ body, workspace, caller }) {
        requireSome('spans', body.spans);
        await storeBatch({ workspace, caller }, body.spans, readSpan, traces.changeSpans);
        return undefined;
      },
      async createTrace({ body, workspace, caller }) {
        const read = readTrace(body, '', writingOf(caller));
        const project = await projectOf(workspace, caller, body);
        requireSameProject('trace', await traces.findTrace(workspace.id, read.id), project);
        const entry = { ...read, projectId: project.id };
        await traces.changeTraces(project.id, [entry.id], decideFresh('Trace', entry));
        return undefined;
      },
      async createSpan({ body, workspace, caller }) {
        const read = readSpan(body, '', writingOf(caller));
        const project = await projectOf(workspace, caller, body);
        requireSameProject('span', await traces.findSpan(workspace.id, read.id), project);
        const entry = { ...read, projectId: project.id };
        await traces.changeSpans(project.id, [entry.id], decideFresh('Span', entry));
        return undefined;
      },
      async updateTrace({ params, body, workspace, caller }) {
        const id = readId(params.id, 'trace');
        const writing = writingOf(caller);
        const change = readTraceChange(body, writing);
        readTags([...(body.tags_to_add ?? [])]);
        const project = await projectOf(workspace, caller, body);
        requireSameProject('trace', await traces.findTrace(workspace.id, id), project);
        await traces.changeTraces(project.id, [id], (_, stored) =>
          withTags(
            mergeUpdated(stored ?? partialTrace(id, project.id, writing.now, writing.by), change),
            body,
          ),
        );
        return undefined;
      },
      async updateSpan({ params, body, workspace, caller }) {
        const id = readId(params.id, 'span');
        const traceId = readId(body.trace_id, 'trace');
        const parentSpanId =
          body.parent_span_id === undefined
            ? undefined
            : readId(body.parent_span_id, 'parent span');
        const writing = writingOf(caller);
        const change = readSpanChange(body, writing);
        readTags([...(body.tags_to_add ?? [])]);
        const project = await projectOf(workspace, caller, body);
        requireSameProject('span', await traces.findSpan(workspace.id, id), project);
        await traces.changeSpans(project.id, [id], (_, stored) => {
          if (
            stored !== undefined &&
            (stored.traceId !== traceId || stored.parentSpanId !== parentSpanId)
          )
            throw new Failure('conflict', `span ${id} has another trace or parent`);
          const before =
            stored ??
            partialSpan(id, project.id, writing.now, writing.by, { traceId, parentSpanId });
          return withTags(mergeUpdated(before, change), body);
        });
        return undefined;
      },
      async showTrace({ params, workspace }) {
        const found = await traces.findTrace(workspace.id, params.id.toLowerCase());
        if (found === undefined)
          throw new Failure('absent', `trace ${params.id.slice(0, 100)} not found`);
        return showTrace(found, await traces.listSpanFigures(found.projectId, [found.id]));
      },
      async showSpan({ params, workspace }) {
        const found = await traces.findSpan(workspace.id, params.id.toLowerCase());
        if (found === undefined)
          throw new Failure('absent', `span ${params.id.slice(0, 100)} not found`);
        return showSpan(found);
      },
      async searchTraces({ body, workspace }) {
        readLimit(body);
        refuseFilters(body);
        const project = await projectToRead(storage.stores, workspace, body);
        if (project === undefined) return emptyStream;
        return streamOf(
          body,
          (page) => traces.listTraces({ projectId: project.id, ...page }),
          (page) => showTraces(project, [...page], body.truncate ?? true),
        );
      },
      async searchSpans({ body, workspace }) {
        readLimit(body);
        refuseFilters(body);
        const ofTrace =
          body.trace_id === undefined ? {} : { traceId: readId(body.trace_id, 'trace') };
        const project = await projectToRead(storage.stores, workspace, body);
        if (project === undefined) return emptyStream;
        return streamOf(
          body,
          (page) => traces.listSpans({ projectId: project.id, ...ofTrace, ...page }),
          async (page) => page.map((one) => showSpan(one, body.truncate ?? true)),
        );
      },
      async deleteTraces({ body, workspace }) {
        requireSome('ids', body.ids);
        await traces.removeTraces(
          workspace.id,
          body.ids.map((id) => id.toLowerCase()),
        );
        return undefined;
      },
      async isAlive() {
        return (await readiness.fault()) === undefined
          ? ({ status: 200, body: { message: 'Healthy Server', healthy: true } } as const)
          : ({ status: 500, body: { message: 'Not Healthy', healthy: false } } as const);
      },
      showServerVersion: async () => ({ version: settings.version }),
    };
  },
});
