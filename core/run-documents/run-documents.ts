import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { runDocumentOperations } from '#ports/api/run-documents';
import type { Upload } from '#ports/bytes';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { TextKind } from '#ports/storage/texts';
import { storageOf } from '#ports/storage/storage';
import { Throttle } from '#ports/throttle';
import { Zip } from '#ports/zip';
import { flagThrottled, takeAllowance } from '../throttling.js';
import { checkPatchZip, isZip, join, patchEntry, readPatch } from './patches.js';
import { endsLines, toLine, writeText, type LoggedLine } from './rules.js';
import { runDocumentSettings } from './settings.js';

const needs = {
  storage: storageOf('experiments', 'texts'),
  clock: Clock,
  settings: runDocumentSettings.port,
  throttle: Throttle,
  zip: Zip,
};
const megabyte = 1024 * 1024;
const notesLimitBytes = megabyte;
const noPatch = JSON.stringify({
  msg: 'the experiment has no git patch',
  code: 200,
  data: null,
  sdk_error_code: 0,
});

const requireFile = async (parts: Upload): Promise<Uint8Array> => {
  let file: Uint8Array | undefined;
  for await (const part of parts) {
    const bytes = await readPatch(part.content);
    if (part.name === 'file') file ??= bytes;
  }
  if (file === undefined) throw new Failure('invalid', 'a git patch comes in the part called file');
  return file;
};

async function* only(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(piece);
}

export const runDocumentsArea = area({
  name: 'run-documents',
  summary: 'HTML, output, code, graph, notes and git patch of experiments.',
  family: trackingFamily,
  table: runDocumentOperations,
  settings: runDocumentSettings,
  needs,
  handlers: ({ storage, clock, settings, throttle, zip }) => {
    const { texts, experiments } = storage.stores;
    const limits = { experiments, throttle };

    const appendOutput = async (
      experiment: Experiment,
      lines: readonly LoggedLine[],
      headers: Readonly<Record<string, string | undefined>>,
      digest?: string,
    ) => {
      if (lines.length === 0) return {};
      await takeAllowance(limits, experiment, 'output', lines.length);
      const ended = endsLines(headers);
      const limitBytes = settings.OUTPUT_PER_EXPERIMENT_LIMIT_MB * megabyte;
      const { full } = await texts.appendOutput({
        experimentId: experiment.id,
        lines: lines.map((line) => toLine(line, ended)),
        receivedAt: clock.now(),
        limitBytes,
        ...(digest === undefined ? {} : { digest }),
      });
      if (full)
        await flagThrottled(
          limits,
          experiment,
          'OUTPUT_SIZE',
          `an experiment may hold at most ${settings.OUTPUT_PER_EXPERIMENT_LIMIT_MB} MB of output`,
        );
      return {};
    };
    const replace = async (
      experiment: Experiment,
      kind: TextKind,
      content: string | Uint8Array,
    ) => {
      await texts.replace({ experimentId: experiment.id, kind, content });
      return {};
    };
    const pack = async (patch: Uint8Array): Promise<Uint8Array> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of zip.pack([
        { name: patchEntry, changedAt: clock.now(), open: () => only(patch) },
      ]))
        pieces.push(piece);
      return join(pieces);
    };

    return {
      async logHtml({ body, experiment }) {
        const html = {
          experimentId: experiment.id,
          kind: 'html',
          content: body.html,
          limitBytes: settings.HTML_PER_EXPERIMENT_LIMIT_MB * megabyte,
        } as const;
        await (body.override === true ? texts.replace(html) : texts.append(html));
        return {};
      },
      logOutput: ({ body, experiment, headers }) =>
        appendOutput(experiment, body.outputLines, headers),
      logLiveOutput: ({ body, experiment, headers, digest }) =>
        appendOutput(experiment, body.outputLines, headers, digest()),
      logGraph: ({ body, experiment }) => replace(experiment, 'graph', body.graph),
      setCode: ({ body, experiment }) => replace(experiment, 'code', body.code),
      async uploadGitPatch({ body, experiment }) {
        const patch = await requireFile(body);
        if (isZip(patch)) checkPatchZip(patch);
        return replace(experiment, 'patch', isZip(patch) ? patch : await pack(patch));
      },
      async setExperimentNotes({ body, experiment }) {
        await texts.replace({
          experimentId: experiment.id,
          kind: 'notes',
          content: body.notes,
          limitBytes: notesLimitBytes,
        });
        return {};
      },
      getExperimentNotes: async ({ experiment }) =>
        writeText('notes', (await texts.read(experiment.id, 'notes')) ?? []),
      getHtml: async ({ experiment }) => writeText('html', await texts.read(experiment.id, 'html')),
      getOutput: async ({ experiment }) =>
        Promise.resolve(writeText('output', texts.readOutput(experiment.id))),
      getGraph: async ({ experiment }) =>
        writeText('graph', await texts.read(experiment.id, 'graph')),
      getCode: async ({ experiment }) => writeText('code', await texts.read(experiment.id, 'code')),
      async getGitPatch({ experiment }) {
        const pieces = await texts.read(experiment.id, 'patch');
        if (pieces === undefined)
          return { type: 'application/json', open: () => only(new TextEncoder().encode(noPatch)) };
        const whole = join(pieces);
        return {
          type: 'application/octet-stream',
          size: whole.length,
          fileName: `${patchEntry}.zip`,
          open: (range) =>
            only(range === undefined ? whole : whole.subarray(range.start, range.end + 1)),
        };
      },
    };
  },
});
