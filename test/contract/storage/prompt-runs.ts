import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { PromptRun } from '#ports/model/prompt-runs';
import { mostPromptRuns } from '#ports/storage/prompt-runs';
import type { Storage } from '#ports/storage/storage';
import { addWorkspace, freshId, rejection } from './builders.js';

export const aPromptRun = (given: Partial<PromptRun> = {}): PromptRun => ({
  workspaceId: freshId(),
  evaluationId: freshId(),
  projectId: freshId(),
  datasetId: freshId(),
  version: 1,
  filters: [],
  prompt: { model: 'gpt-4o', messages: [{ role: 'user', content: '{{city}}' }], configs: {} },
  promptIndex: 0,
  ruleIds: [],
  userName: 'ann',
  doneId: undefined,
  ...given,
});

/** What every store of prompts that run over datasets keeps to. */
export const promptRunContract = (storage: () => Storage): void => {
  const runs = () => storage().stores.promptRuns;
  const minute = 60_000;
  /** Whoever else waits stands in nobody's way: everything of other cases is claimed, and held for long. */
  const clear = async () => {
    while ((await runs().claim('others', 100, 60 * minute)).length > 0);
  };
  const add = async (given: Partial<PromptRun> = {}): Promise<PromptRun> => {
    const run = aPromptRun(given);
    await runs().insert([run]);
    return run;
  };
  const claimed = async (holder: string, limit = 10, ms = minute) =>
    (await runs().claim(holder, limit, ms)).map(({ evaluationId }) => evaluationId);

  it('gives what was stored, each to one claimant', async () => {
    await clear();
    const sent = Array.from({ length: 12 }, (_, at) =>
      aPromptRun({
        version: at,
        filters: [{ field: 'tags', is: 'list', operator: 'contains', value: 'é😀' }],
        prompt: {
          model: 'openai/gpt-4o',
          messages: [{ role: 'user', content: [{ type: 'text', text: '{{a}} 漢' }] }],
          configs: { temperature: 0.5, topP: 1 },
        },
        promptIndex: at,
        ruleIds: [freshId()],
        userName: 'änn',
      }),
    );
    await runs().insert(sent);
    await runs().insert([]);

    const got = await Promise.all(['a', 'b', 'c'].map((holder) => runs().claim(holder, 5, minute)));
    const byId = (all: readonly PromptRun[]) =>
      [...all].sort((one, other) => (one.evaluationId < other.evaluationId ? -1 : 1));
    expect(byId(got.flat())).to.deep.equal(byId(sent).map((run) => ({ ...run, tries: 1 })));
    expect(await claimed('d')).to.deep.equal([]);
  });

  it('stores all or none, and one for each evaluation of a workspace', async () => {
    await clear();
    const made = await add();
    const other = aPromptRun();
    expect(await rejection(runs().insert([other, made]))).to.have.property('kind', 'conflict');
    const elsewhere = await add({ evaluationId: made.evaluationId });

    expect(
      (await runs().claim('me', 10, minute)).map((run) => run.workspaceId).sort(),
    ).to.deep.equal([made.workspaceId, elsewhere.workspaceId].sort());
  });

  it('goes on behind what is done, after all others that are due, for whoever holds it alone', async () => {
    await clear();
    const made = await add();
    const [done, later] = [freshId(), freshId()];
    expect(await claimed('slow', 1, 0)).to.deep.equal([made.evaluationId]);
    const [second] = await runs().claim('next', 1, 0);
    expect([second?.tries, second?.doneId]).to.deep.equal([2, undefined]);

    await runs().advance('slow', made, done);
    const [third] = await runs().claim('next', 1, minute);
    expect([third?.tries, third?.doneId]).to.deep.equal([3, undefined]);
    const other = await add();
    await pause(2); // the clock of the database counts in ms
    await runs().advance('next', made, done);
    expect(await claimed('me', 1)).to.deep.equal([other.evaluationId]);
    const [fourth] = await runs().claim('me', 1, minute);
    expect([fourth?.tries, fourth?.doneId]).to.deep.equal([1, done]);
    await runs().advance('me', made, later);

    const [fifth] = await runs().claim('me', 1, minute);
    expect([fifth?.tries, fifth?.doneId]).to.deep.equal([1, later]);
    await runs().postpone('slow', made, 0);
    expect(await claimed('others')).to.deep.equal([]);
    await runs().postpone('me', made, 0);
    const [sixth] = await runs().claim('me', 1, 0);
    expect([sixth?.tries, sixth?.doneId]).to.deep.equal([1, later]);
    await runs().postpone('me', made, minute);
    expect(await claimed('others')).to.deep.equal([]);
  });

  it('bounds how many a workspace may have, however many come at once', async () => {
    await clear();
    const { id: workspaceId } = await addWorkspace(storage());
    const some = (count: number) =>
      Array.from({ length: count }, () => aPromptRun({ workspaceId }));
    await runs().insert(some(mostPromptRuns - 5));

    const tried = await Promise.allSettled(
      [some(3), some(3), some(3)].map((all) => runs().insert(all)),
    );

    expect(tried.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await claimed('me', 2 * mostPromptRuns)).to.have.length(mostPromptRuns - 2);
    expect(await rejection(runs().insert(some(3)))).to.have.property('kind', 'conflict');
    await runs().insert([aPromptRun()]);
  });

  it('ends for whoever holds it alone', async () => {
    await clear();
    const made = await add();
    await claimed('me', 1, 0);
    await runs().finish('slow', made);
    expect(await claimed('me', 1, 0)).to.deep.equal([made.evaluationId]);
    await runs().finish('me', made);
    await runs().finish('me', made);
    expect(await claimed('me')).to.deep.equal([]);
    await runs().advance('me', made, freshId());
    expect(await claimed('me')).to.deep.equal([]);
  });
};
