// Named filters of a model: each can be asked for as a series, and looked at by an alert.
import { defineKind } from '#ports/api/kind-definition';
import { kind } from '#ports/api/kind';
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { checkFilter } from './alert-rules.js';
import { findModel, lockModel, type MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { removeRollups } from './rollups.js';

export interface Segment {
  readonly segmentId: string;
  readonly modelId: string;
  readonly name: string;
  readonly filter: string;
  readonly createdAt: number;
}
/** A segment with the workspace that its model is in. */
export interface PlacedSegment extends Segment {
  readonly workspaceId: string;
}
export const monitoredSegment = kind<PlacedSegment>()('monitoredSegment');

export const mostSegments = 100;

const toSegment = (row: PluginRow): Segment => ({
  segmentId: String(row['segment']),
  modelId: String(row['model_id']),
  name: String(row['name']),
  filter: String(row['filter']),
  createdAt: Number(row['made_at']),
});

const findSegment = async (
  tables: PluginTables,
  id: string,
): Promise<PlacedSegment | undefined> => {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
  const [row] = await tables.list('segments', 'by_id', { segment: id }, { limit: 1 });
  if (row === undefined) return undefined;
  const model = await findModel(tables, String(row['model_id']));
  return model && { ...toSegment(row), workspaceId: model.workspaceId };
};

export const segmentKind = (tables: PluginTables) =>
  defineKind(monitoredSegment, {
    needs: {},
    rules: () => ({
      find: ({ text }) => findSegment(tables, text),
      idOf: ({ segmentId }) => segmentId,
      placeOf: ({ workspaceId }) => ({ workspaceId }),
      absent: (text) => new Failure('absent', `segment ${text.slice(0, 80)} not found`),
    }),
  });

/** The segments of a model, by name. */
export const segmentsOf = async (
  tables: PluginTables,
  modelId: string,
): Promise<readonly Segment[]> =>
  (await tables.list('segments', 'key', { model_id: modelId }, { limit: mostSegments }))
    .map(toSegment)
    .sort((one, other) => (one.name < other.name ? -1 : 1));

/** What is asked for, where the filter of a series may be that of a segment. Rejects with `absent` for a segment that the model has not. */
export const withSegments = async <
  A extends {
    readonly predicates?:
      | readonly {
          readonly key: string;
          readonly query?: string | undefined;
          readonly segmentId?: string | undefined;
        }[]
      | undefined;
  },
>(
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  modelId: string,
  asked: A,
): Promise<A> => {
  if (asked.predicates?.some(({ segmentId }) => segmentId !== undefined) !== true) return asked;
  const segments = await segmentsOf(tables, modelId);
  const predicates = asked.predicates.map((predicate) => {
    const { segmentId } = predicate;
    if (segmentId === undefined) return predicate;
    const found = segments.find((one) => one.segmentId === segmentId);
    if (found === undefined)
      throw new Failure('absent', `segment ${segmentId.slice(0, 80)} not found`);
    return { ...predicate, query: found.filter };
  });
  return { ...asked, predicates };
};

interface Written {
  readonly name: string;
  readonly filter: string;
}
const checkName = (given: string): string => {
  const name = given.trim();
  if (name === '' || name.length > 100)
    throw new Failure('invalid', 'name must have 1 to 100 characters');
  return name;
};

/** Refuses a name that another segment of the model has. The row of the model is locked, so that two at once take turns. */
const requireFree = async (
  inside: PluginTables,
  modelId: string,
  name: string,
  own?: string,
): Promise<number> => {
  await lockModel(inside, modelId);
  const there = await segmentsOf(inside, modelId);
  if (there.some((one) => one.name === name && one.segmentId !== own))
    throw new Failure('conflict', `the model has a segment ${name} already`);
  return there.length;
};

export const createSegment = (
  { tables, ids, clock }: Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>,
  model: MonitoredModel,
  asked: Written,
): Promise<Segment> => {
  const [name, filter] = [checkName(asked.name), checkFilter(asked.filter)];
  return tables.transaction(async (inside) => {
    if ((await requireFree(inside, model.id, name)) >= mostSegments)
      throw new Failure('invalid', `a model has at most ${mostSegments} segments`);
    const row = {
      model_id: model.id,
      segment: ids.next(),
      name,
      filter,
      made_at: clock.now(),
    };
    await inside.insert('segments', row);
    return toSegment(row);
  });
};

export const updateSegment = (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  segment: Segment,
  asked: { readonly name?: string | undefined; readonly filter?: string | undefined },
): Promise<Segment> => {
  const name = asked.name === undefined ? segment.name : checkName(asked.name);
  const filter = asked.filter === undefined ? segment.filter : checkFilter(asked.filter);
  return tables.transaction(async (inside) => {
    await requireFree(inside, segment.modelId, name, segment.segmentId);
    const key = { model_id: segment.modelId, segment: segment.segmentId };
    if ((await inside.find('segments', key)) === undefined)
      throw new Failure('absent', `segment ${segment.segmentId} not found`);
    await inside.upsert('segments', { ...key, name, filter });
    return { ...segment, name, filter };
  });
};

/** Removes a segment with the sums that are kept of it, and says whether there was one. */
export const removeSegment = async (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  { modelId, segmentId }: Pick<Segment, 'modelId' | 'segmentId'>,
): Promise<boolean> => {
  const was = await tables.remove('segments', { model_id: modelId, segment: segmentId });
  await removeRollups(tables, segmentId);
  return was;
};
