import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import type { Call } from '#ports/api/operation';
import { playgroundOperations } from '#ports/api/playground';
import { ChatModels } from '#ports/chat-model';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Dataset, DatasetVersion } from '#ports/model/datasets';
import type { Evaluation } from '#ports/model/evaluations';
import { Sealer } from '#ports/sealer';
import { storageOf } from '#ports/storage/storage';
import { requireRules } from '../automations/offers.js';
import { askModel, chatsWith, findModel, refuse, refusedAs } from '../chat-completions/offers.js';
import { readItemFilters } from '../dataset-items/rules.js';
import { findVersionByRef } from '../datasets/offers.js';
import { evaluatedPrompts } from '../evaluations/offers.js';
import { inventName } from '../evaluations/rules.js';
import { madeBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readAnyId } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { traceSettings } from '../traces/settings.js';
import { askForItems, readItems } from './expanding.js';

/** Items that one request runs prompts over at most, counted for each prompt. */
const mostItems = 100_000;
/** Characters of a prompt as JSON: it is kept with its run, and shown with its evaluation. */
const longestPrompt = 1_000_000;
/** Items that a model is shown as examples, and how long they may be together. */
const [mostSamples, mostSampleBytes] = [20, 200_000];
const usualCount = 10;

type Sent = Call<typeof playgroundOperations.runPrompts>['body'];

export const playgroundArea = area({
  name: 'playground',
  summary: 'Prompts that people try over datasets.',
  family: privateFamily,
  table: playgroundOperations,
  needs: {
    storage: storageOf(
      'automations',
      'datasetItems',
      'datasets',
      'evaluations',
      'libraryPrompts',
      'projects',
      'promptRuns',
      'providerKeys',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
    models: ChatModels,
    sealer: Sealer,
    traceSettings: traceSettings.port,
  },
  handlers: ({ storage, clock, ids, models, sealer, traceSettings: settings }) => {
    const { automations, datasetItems, libraryPrompts, providerKeys } = storage.stores;
    const prices = settings.ORRERY_MODEL_PRICES;

    /** The version of a dataset that a request names, else the newest; `undefined` where the dataset has none. Rejects with `absent` for one that is not there. */
    const versionOf = async (
      { workspaceId, id }: Dataset,
      { dataset_version_id: versionId, version_hash: hash }: Sent,
    ): Promise<DatasetVersion | undefined> => {
      if (versionId === undefined && hash === undefined)
        return datasetItems.findVersion(workspaceId, id, 'newest');
      const found =
        versionId === undefined
          ? await findVersionByRef({ datasetItems }, { workspaceId, id }, hash ?? '')
          : await datasetItems.findVersion(workspaceId, id, {
              id: readAnyId(versionId, 'dataset_version_id'),
            });
      if (found === undefined)
        throw new Failure(
          'absent',
          `dataset version ${(versionId ?? hash ?? '').slice(0, 100)} not found`,
        );
      return found;
    };

    return {
      async runPrompts({ body, projectTarget, dataset, caller }) {
        const { workspaceId } = dataset;
        if (body.dataset_name !== undefined && body.dataset_name !== dataset.name)
          throw new Failure('invalid', 'dataset_id is of a dataset of another name');
        const filters = readItemFilters(body.filters);
        const ruleIds = (body.selected_rule_ids ?? []).map((id) =>
          readAnyId(id, 'selected_rule_ids'),
        );
        for (const { model, messages, configs } of body.prompts) {
          await findModel({ providerKeys, prices }, workspaceId, model);
          if (JSON.stringify([messages, configs]).length > longestPrompt)
            throw new Failure('tooLarge', `a prompt must be at most ${longestPrompt} characters`);
        }
        const version = await versionOf(dataset, body);
        const listing = { workspaceId, datasetId: dataset.id, filters };
        const total =
          version === undefined
            ? 0
            : await datasetItems.count({ ...listing, version: version.number });
        if (total * body.prompts.length > mostItems)
          throw new Failure(
            'invalid',
            `the prompts would run over more than ${mostItems} items in all`,
          );
        const prompts = await Promise.all(
          body.prompts.map(async (sent) => ({
            sent,
            versions:
              (await evaluatedPrompts(
                libraryPrompts,
                workspaceId,
                { prompt_versions: sent.prompt_versions ?? body.prompt_versions },
                caller,
              )) ?? [],
          })),
        );
        const ofProject = isOfProject(body, caller);
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        await requireRules({ automations }, 'trace', project, ruleIds, caller);
        const made = madeBy(clock, caller);
        const runs = prompts.map(({ sent, versions }, promptIndex) => {
          const id = ids.next();
          const { model, messages, configs = {}, experiment_name: name = '' } = sent;
          const evaluation: Evaluation = {
            ...{ workspaceId, id, projectId: ofProject ? project.id : undefined },
            ...{ datasetId: dataset.id, datasetVersionId: version?.id },
            ...{ optimizationId: undefined, tags: undefined, scores: undefined },
            name: name.trim() === '' ? inventName(id) : name,
            metadata: JSON.stringify({ model, messages, model_config: configs }),
            type: 'regular',
            method: 'dataset',
            status: total === 0 ? 'completed' : 'running',
            finishedAt: total === 0 ? made.createdAt : undefined,
            prompts: versions,
            ...made,
          };
          return {
            evaluation,
            run: {
              ...{ workspaceId, evaluationId: id, projectId: project.id, datasetId: dataset.id },
              ...{ version: version?.number ?? 0, filters, prompt: { model, messages, configs } },
              ...{ promptIndex, ruleIds, userName: caller.userName, doneId: undefined },
            },
          };
        });
        await storage.transaction(async (inside) => {
          for (const { evaluation } of runs) await inside.evaluations.insert(evaluation);
          if (total > 0) await inside.promptRuns.insert(runs.map(({ run }) => run));
        });
        return {
          experiments: runs.map(({ evaluation }, prompt_index) => ({
            ...{ experiment_id: evaluation.id, prompt_index },
          })),
          total_items: total,
        };
      },
      async expandDataset({ body, dataset, signal }) {
        const { workspaceId, id } = dataset;
        const samples = await datasetItems.list({
          ...{ workspaceId, datasetId: id, filters: [] },
          ...{ limit: mostSamples, mostBytes: mostSampleBytes },
        });
        if (samples.length === 0)
          throw new Failure('invalid', 'the dataset has no items after which others could be made');
        const count = body.sample_count ?? usualCount;
        const end = chatsWith(models).begin(workspaceId);
        const answer = await askModel(
          { providerKeys, models, sealer, prices },
          workspaceId,
          {
            model: body.model,
            messages: askForItems(
              samples.map(({ data }) => data),
              {
                count,
                preserve: body.preserve_fields ?? [],
                instructions: body.variation_instructions,
                custom: body.custom_prompt,
              },
            ),
            response_format: { type: 'json_object' },
            ...given({ max_completion_tokens: body.max_completion_tokens }),
          },
          signal,
        ).finally(end);
        if ('fault' in answer) return refuse(answer.fault);
        const items = readItems(answer.completion.choices[0]?.message.content ?? '', count);
        if (items === undefined)
          return refusedAs(502, `the model ${body.model} answered with no list of items`);
        const shown = {
          generated_samples: items.map((data) => ({ id: ids.next(), source: 'manual', data })),
          model: body.model,
          total_generated: items.length,
          generation_time: showInstant(clock.now() * 1000),
        };
        return { status: 200, body: shown } as const;
      },
    };
  },
});
