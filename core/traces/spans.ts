import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { spanOperations } from '#ports/api/spans';
import { BlobStore } from '#ports/blob-store';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Span } from '#ports/model/traces';
import type { TraceSelection } from '#ports/storage/traces';
import { storageOf } from '#ports/storage/storage';
import { readId, readIds } from '../private-wire/ids.js';
import { emptyStream, lineStream } from '../private-wire/line-stream.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { showSpans } from './besides.js';
import { entryWriter, mergeTags } from './entries.js';
import { feedbackOf } from './feedback.js';
import { partialSpan } from './merging.js';
import { pricesFrom } from './prices.js';
import { readSpan, readSpanChange, readTags, withCost } from './reading.js';
import { scorer } from './scoring.js';
import {
  readEntrySorting,
  readExcluded,
  readSelection,
  spanFilters,
  spanSorts,
} from './selecting.js';
import { traceSettings } from './settings.js';
import {
  extentOf,
  rowsAtOnce,
  mostPageBytes,
  mostStreamedBytes,
  showBounds,
  wholly,
} from './showing.js';
import { showStatistics } from './statistics.js';

const root = '/v1/private/spans';
const emptyPage = { total: 0, content: [] } as const;

interface Narrowed {
  readonly trace_id?: string | undefined;
  readonly type?: string | undefined;
}
type Asked = Parameters<typeof readSelection>[1] & Narrowed;

const selectSpans = (projectId: string, asked: Asked): TraceSelection => ({
  ...readSelection(projectId, asked, spanFilters),
  traceId: asked.trace_id === undefined ? undefined : readId(asked.trace_id, 'trace'),
  type: asked.type,
});

export const spansArea = area({
  name: 'spans',
  summary: 'Spans of LLM applications, as SDKs write and read them.',
  family: privateFamily,
  table: spanOperations,
  needs: {
    storage: storageOf(
      'annotationQueues',
      'attachments',
      'automationRuns',
      'feedback',
      'guardrails',
      'projects',
      'threads',
      'traceStatistics',
      'traces',
      'workspaces',
    ),
    store: BlobStore,
    clock: Clock,
    ids: Ids,
    prices: traceSettings.port,
  },
  handlers: ({ storage, store: { blob }, clock, ids, prices: { ORRERY_MODEL_PRICES } }) => {
    const { traces, traceStatistics } = storage.stores;
    const shown = { storage, blob };
    const prices = pricesFrom(ORRERY_MODEL_PRICES);
    const needs = { storage, clock, ids, prices };
    /** What is stored of a span has its cost, where the list of prices knows it. */
    const changeSpans = (
      projectId: string,
      wanted: readonly string[],
      decide: Parameters<typeof traces.changeSpans>[2],
      ready?: Promise<void>,
    ): Promise<void> =>
      traces.changeSpans(
        projectId,
        wanted,
        (id, stored) => {
          const decided = decide(id, stored);
          return decided === undefined || decided === stored ? decided : withCost(decided, prices);
        },
        ready,
      );
    const writer = entryWriter<Span>(needs, {
      kind: 'span',
      noun: 'Span',
      change: changeSpans,
      partial: (id, projectId, { now, by }) =>
        partialSpan(id, projectId, now, by, { traceId: '', parentSpanId: undefined }),
    });
    const feedback = feedbackOf(needs, 'span');
    const scores = scorer(needs, 'span');

    return {
      async createSpans({ body, projectTargets, caller }) {
        await writer.storeBatch(body.spans, readSpan, projectTargets, caller);
        return undefined;
      },
      async createSpan({ body, projectTarget, caller }) {
        const read = readSpan(body, '', writer.writingOf(caller));
        await writer.storeFresh(read, projectTarget, caller);
        return { body: undefined, madeAt: `${root}/${read.id}` };
      },
      async updateSpan({ params, body, projectTarget, caller }) {
        const id = readId(params.id, 'span');
        const traceId = readId(body.trace_id, 'trace');
        const parentSpanId =
          body.parent_span_id === undefined
            ? undefined
            : readId(body.parent_span_id, 'parent span');
        const writing = writer.writingOf(caller);
        const change = readSpanChange(body, writing);
        readTags([...(body.tags_to_add ?? [])]);
        const projectId = await writer.projectFor(id, projectTarget, caller);
        await changeSpans(projectId, [id], (_, stored) => {
          if (
            stored !== undefined &&
            (stored.traceId !== traceId || stored.parentSpanId !== parentSpanId)
          )
            throw new Failure('conflict', `span ${id} has another trace or parent`);
          const before =
            stored ??
            partialSpan(id, projectId, writing.now, writing.by, { traceId, parentSpanId });
          return writer.updated(id, projectId, before, { change, sent: body, writing });
        });
        return undefined;
      },
      async updateSpans({ body, reach, caller }) {
        const wanted = readIds(body.ids);
        const writing = writer.writingOf(caller);
        const { tags: _, ...change } = readSpanChange(body.update, writing);
        for (const [projectId, some] of await writer.placesIn(wanted, reach))
          await changeSpans(
            projectId,
            some,
            (id, stored) =>
              stored && {
                ...writer.updated(id, projectId, stored, { change, sent: {}, writing }),
                tags: mergeTags(stored.tags, body.update, body.merge_tags === true),
              },
          );
        return undefined;
      },
      async pageSpans({ query, projectTarget: { project } }) {
        const page = readPage(query);
        const orders = readEntrySorting(query.sorting, spanSorts);
        const showing = {
          truncate: query.truncate ?? false,
          excluded: readExcluded(query.exclude),
          stripped: query.strip_attachments,
        };
        const selection = selectSpans(project?.id ?? '', query);
        if (project === undefined) return showPage(page, emptyPage, spanSorts);
        const found = await traces.pageSpans({
          ...{ ...selection, ...page, orders },
          ...extentOf(showing, mostPageBytes),
        });
        const content = await showSpans(shown, found.content, showing, 'write');
        return {
          ...showPage(page, { total: found.total, content }, spanSorts),
          ...showBounds(found),
        };
      },
      async spansExist({ query, projectTarget: { project } }) {
        if (project === undefined) return { exists: false };
        const { source } = query;
        const filters =
          source === undefined
            ? []
            : [{ field: 'source', is: 'words', operator: 'in', value: [source] } as const];
        return { exists: await traces.exist('span', { projectId: project.id, filters }) };
      },
      async spanStatistics({ query, projectTarget: { project } }) {
        const selection = selectSpans(project?.id ?? '', query);
        const found =
          project === undefined ? undefined : await traceStatistics.ofSpans(selection, clock.now());
        return showStatistics('span', found);
      },
      async showSpan({ query, span: { id, project } }) {
        const [found] = await showSpans(shown, await traces.readSpans(project.id, [id]), {
          ...wholly,
          stripped: query.strip_attachments,
        });
        if (found === undefined) throw new Failure('absent', `span ${id} not found`);
        return found;
      },
      async searchSpans({ body, projectTarget: { project } }) {
        const showing = {
          truncate: body.truncate ?? true,
          excluded: readExcluded(body.exclude),
          stripped: body.strip_attachments,
        };
        const selection = selectSpans(project?.id ?? '', body);
        const stream = lineStream<Span>(
          { limit: body.limit, after: body.last_retrieved_id },
          {
            atOnce: rowsAtOnce,
            list: (page) =>
              traces.listSpans({ ...selection, ...page, ...extentOf(showing, mostStreamedBytes) }),
            idOf: ({ id }) => id,
            show: (rows) => showSpans(shown, rows, showing, 'write'),
          },
        );
        return project === undefined ? emptyStream : stream;
      },
      async deleteSpan({ params, reach }) {
        const wanted = readIds([params.id], 'id');
        for (const [projectId, some] of await writer.placesIn(wanted, reach))
          await traces.removeSpans(projectId, some);
        return undefined;
      },
      scoreSpan: ({ body, span, caller }) => feedback.scoreOne(body, span, caller),
      scoreSpans: ({ body, projectTargets, caller }) =>
        scores.scoreMany(body.scores, projectTargets, caller),
      unscoreSpan: ({ params, body, reach }) => scores.unscore(params.id, body, reach),
      listSpanScoreNames: ({ query, projectScope }) => feedback.scoreNames(query, projectScope),
      commentSpan: ({ body, span, caller }) => feedback.comment(root, body, span, caller),
      async showSpanComment({ params, spanComment }) {
        return feedback.showComment(spanComment, params['spanId']);
      },
      updateSpanComment: ({ body, spanComment, caller }) =>
        feedback.changeComment(body, spanComment, caller),
      deleteSpanComments: ({ body, reach }) => feedback.deleteComments(body.ids, reach),
    };
  },
});
