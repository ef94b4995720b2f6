import { area } from '#ports/api/area';
import { datasetFileOperations } from '#ports/api/dataset-files';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { BlobStore } from '#ports/blob-store';
import type { ByteStream, Upload } from '#ports/bytes';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { datasetExport, type FoundExport } from '#ports/model/dataset-exports';
import type { Dataset } from '#ports/model/datasets';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope } from '#ports/model/projects';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { dropBytes, putNoted } from '../assets/offers.js';
import { csvRow } from '../csv.js';
import { columnsOf, keepMakers, readItem } from '../dataset-items/offers.js';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { showInstant } from '../private-wire/instants.js';
import { recordRules } from '../private-wire/records.js';
import { isUuid } from '../uuid.js';
import { itemsOfFile, type FileFormat, type ItemData } from './records.js';

const datasetExportKind = defineKind(datasetExport, {
  needs: { storage: storageOf('datasetExports', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'export job', stores.datasetExports.find),
});

const mostBytes = 100 * 1024 * 1024;
const longestField = 1024;
const mostListed = 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Items that are read at once for a file: their data may be long. */
const itemsAtOnce = 100;
const mostColumns = 10_000;

const absentExport = (id: string) => new Failure('absent', `export job ${id} not found`);
const encoder = new TextEncoder();

async function* limited(bytes: ByteStream): ByteStream {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > mostBytes)
      throw new Failure('tooLarge', `a file must be at most ${mostBytes} bytes`);
    yield piece;
  }
}

const cellOf = (value: unknown): string | number | boolean | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value);
};

const show = (found: FoundExport) => ({
  id: found.id,
  dataset_id: found.datasetId,
  dataset_name: found.datasetName,
  // It is written while it is fetched, so nobody waits for it.
  status: 'COMPLETED',
  expires_at: showInstant(found.expiresAt * 1000),
  viewed_at: found.viewedAt === undefined ? undefined : showInstant(found.viewedAt),
  ...showAuthorship(found),
});

export const datasetFilesArea = area({
  name: 'dataset-files',
  summary: 'Files that become items of datasets, and files of the items of a dataset.',
  family: privateFamily,
  table: datasetFileOperations,
  kinds: [datasetExportKind],
  needs: {
    storage: storageOf(
      'datasetExports',
      'datasetItems',
      'datasets',
      'projects',
      'uploads',
      'workspaces',
    ),
    store: BlobStore,
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, store: { blob }, clock, ids }) => {
    const { datasetExports, datasetItems, datasets, uploads } = storage.stores;

    /** The dataset of a part, as the reach of the request has it. Rejects with `invalid` without one, and with `absent`. */
    const requireDataset = async (
      text: string | undefined,
      { workspace, project }: Pick<ProjectScope, 'workspace' | 'project'>,
    ): Promise<Dataset> => {
      if (text === undefined || text.trim() === '')
        throw new Failure('invalid', 'the part dataset_id is required');
      const id = text.trim().toLowerCase();
      const found = isUuid(id) ? await datasets.find(workspace.id, id) : undefined;
      if (found === undefined || (project !== undefined && found.projectId !== project.id))
        throw new Failure('absent', `dataset ${id.slice(0, 100)} not found`);
      return found;
    };

    /** Stores the items of a file, which is there as a whole, in one version; all or none. */
    const store = async (
      { workspaceId, id: datasetId }: Dataset,
      { format, blobKey }: { readonly format: FileFormat; readonly blobKey: string },
      caller: Caller,
      signal: AbortSignal,
    ): Promise<void> => {
      const made = madeBy(clock, caller);
      const groupId = ids.next();
      await storage.transaction(async (stores) => {
        const { stream } = await blob.open(blobKey, { signal });
        for await (const some of itemsOfFile(format, stream)) {
          const read = some.map((sent) =>
            readItem({ source: 'manual', ...sent }, () => ids.next(), made),
          );
          // Of several with one id the last counts.
          const items = [...new Map(read.map((item) => [item.id, item])).values()];
          const version = await stores.datasetItems.change({
            ...{ workspaceId, datasetId, versionId: ids.next(), touch: touchedBy(clock, caller) },
            target: { into: 'group', groupId },
            ids: items.map(({ id }) => id),
            decide: (stored) => ({
              put: keepMakers(items, datasetId, stored),
              removed: [],
              columns: columnsOf(items),
            }),
          });
          if (version === undefined) throw new Failure('absent', `dataset ${datasetId} not found`);
        }
      });
    };

    /** Keeps the file before it is read: nobody holds the dataset, or memory, while a client sends it. */
    const addItems =
      (format: FileFormat) =>
      async ({
        body,
        reach,
        caller,
        signal,
      }: {
        readonly body: Upload;
        readonly reach: Pick<ProjectScope, 'workspace' | 'project'>;
        readonly caller: Caller;
        readonly signal: AbortSignal;
      }): Promise<undefined> => {
        let dataset: Dataset | undefined;
        let blobKey: string | undefined;
        try {
          for await (const part of body) {
            if (part.name === 'dataset_id')
              dataset = await requireDataset(await part.text(longestField), reach);
            else if (part.name !== 'file') await part.text(longestField);
            else if (blobKey !== undefined)
              throw new Failure('invalid', 'only one part may be called file');
            else {
              blobKey = `${reach.workspace.id}/${ids.next()}`;
              await putNoted({ uploads, blob, clock }, blobKey, limited(part.content), signal);
            }
          }
          const into = dataset ?? (await requireDataset(undefined, reach));
          if (blobKey === undefined) throw new Failure('invalid', 'the part file is required');
          await store(into, { format, blobKey }, caller, signal);
        } finally {
          if (blobKey !== undefined) await dropBytes({ uploads, blob }, blobKey);
        }
        return undefined;
      };

    /** The data of every item of a version, some at a time. */
    async function* dataOf({ workspaceId, datasetId, version }: FoundExport) {
      let beforeId: string | undefined;
      for (;;) {
        const page = await datasetItems.list({
          ...{ workspaceId, datasetId, version, filters: [], limit: itemsAtOnce },
          ...given({ beforeId }),
        });
        yield page.map(({ data }) => JSON.parse(data) as ItemData); // as it was written
        beforeId = page.at(-1)?.id;
        if (page.length < itemsAtOnce) return;
      }
    }
    const columnsIn = async (found: FoundExport): Promise<readonly string[]> => {
      const names = new Set<string>();
      for await (const some of dataOf(found))
        for (const data of some)
          for (const name of Object.keys(data)) {
            names.add(name);
            if (names.size > mostColumns)
              throw new Failure(
                'invalid',
                `a dataset of more than ${mostColumns} columns is not exported`,
              );
          }
      return [...names];
    };
    async function* csvOf(found: FoundExport, names: readonly string[]): ByteStream {
      yield encoder.encode(names.length === 0 ? '' : csvRow(names));
      for await (const some of dataOf(found))
        for (const data of some)
          yield encoder.encode(csvRow(names.map((name) => cellOf(data[name]))));
    }

    return {
      addItemsFromCsv: addItems('csv'),
      addItemsFromJson: addItems('json'),
      async exportDataset({
        dataset: { workspaceId, id: datasetId, newest, name, projectId },
        caller,
      }) {
        const made = {
          ...{ workspaceId, id: ids.next(), datasetId, version: newest },
          expiresAt: clock.now() + dayMs,
          viewedAt: undefined,
          ...madeBy(clock, caller),
        };
        await datasetExports.insert(made);
        return show({ ...made, datasetName: name, projectId });
      },
      async listDatasetExports({ reach: { workspace, project } }) {
        const found = await datasetExports.list({
          workspaceId: workspace.id,
          ...given({ projectId: project?.id }),
          now: clock.now(),
          limit: mostListed,
        });
        return found.map(show);
      },
      showDatasetExport: async (call) => show(call.datasetExport),
      async downloadDatasetExport({ datasetExport: found }) {
        if (found.expiresAt <= clock.now()) throw absentExport(found.id);
        const names = found.version === 0 ? [] : await columnsIn(found);
        return {
          type: 'text/csv; charset=utf-8',
          attached: true as const,
          fileName: `${found.datasetName}.csv`,
          open: () => csvOf(found, names),
        };
      },
      async viewDatasetExport({ datasetExport: { workspaceId, id } }) {
        if (!(await datasetExports.markViewed(workspaceId, id, clock.now() * 1000)))
          throw absentExport(id);
        return undefined;
      },
    };
  },
});
