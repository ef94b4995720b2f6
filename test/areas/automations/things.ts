import { slowThing, thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';
import { traces } from '../traces/things.js';
import { projects } from '../workspaces/things.js';

/** A rule that is kept and never run. */
export const aMetric = {
  type: 'user_defined_metric_python',
  action: 'evaluator',
  code: { metric: 'class Metric: pass', arguments: { output: 'output' } },
} as const;

export const automations = thing(async ({ ask, of, read }) => {
  const { projectId } = await of(projects);
  const name = freshName('rule');
  const root = '/v1/private/automations/evaluators';
  await ask(root, { ...aMetric, name, project_ids: [projectId] });
  const { content } = (await read(`${root}?name=${name}`)) as {
    readonly content: readonly { readonly id: string }[];
  }; // as the row has it
  return { automationRuleId: content[0]?.id ?? '' };
});

/** A program for each kind of thing, in the project that traces are logged to. */
export const scorers = slowThing(async ({ ask, of, read }) => {
  const { projectId } = await of(traces);
  const root = '/v1/private/automations/evaluators';
  const make = async (type: string, code: unknown): Promise<string> => {
    const name = freshName('scorer');
    await ask(root, { ...aMetric, type, name, code, project_ids: [projectId] });
    const { content } = (await read(`${root}?name=${name}`)) as {
      readonly content: readonly { readonly id: string }[];
    }; // as the row has it
    return content[0]?.id ?? '';
  };
  return {
    ofTraces: await make('user_defined_metric_python', aMetric.code),
    ofSpans: await make('span_user_defined_metric_python', aMetric.code),
    ofThreads: await make('trace_thread_user_defined_metric_python', { metric: 'class M: pass' }),
  };
});
