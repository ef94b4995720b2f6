import { expect } from 'chai';
import type { NewRemoteCall } from '#ports/storage/rpc';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, freshId, start } from './builders.js';

/** What every store of remote calls keeps to. */
export const rpcContract = (storage: () => Storage): void => {
  const rpc = () => storage().stores.rpc;
  const addCall = async (
    experimentId: string,
    given: Partial<NewRemoteCall> = {},
  ): Promise<string> => {
    const call: NewRemoteCall = {
      id: freshId(),
      experimentId,
      functionName: 'set_rate',
      builtIn: false,
      arguments: [],
      userName: 'ann',
      createdAt: start,
      ...given,
    };
    await rpc().insert(call);
    return call.id;
  };

  it('keeps functions by name, told apart by case, the last registration of each', async () => {
    const { id } = await addExperiment(storage());
    await rpc().register(id, { name: 'b', documentation: 'first', argumentNames: ['x'] });
    await rpc().register(id, { name: 'B', documentation: '', argumentNames: [] });
    await rpc().register(id, { name: 'b', documentation: 'second', argumentNames: ['x', 'y'] });

    expect(await rpc().listFunctions(id)).to.deep.equal([
      { name: 'B', documentation: '', argumentNames: [] },
      { name: 'b', documentation: 'second', argumentNames: ['x', 'y'] },
    ]);
    expect((await rpc().findFunction(id, 'b'))?.documentation).to.equal('second');
    expect(await rpc().findFunction(id, 'c')).to.equal(undefined);
  });

  it('gives the calls of one run, oldest first, and none of them again', async () => {
    const [{ id }, other] = [await addExperiment(storage()), await addExperiment(storage())];
    const second = await addCall(id, {
      createdAt: start + 2,
      arguments: [{ name: 'rate', value: { deep: [1, null, 'é'] } }],
    });
    const first = await addCall(id, { createdAt: start + 1, builtIn: true });
    await addCall(other.id);

    expect(await rpc().countWaiting(id)).to.equal(2);
    const taken = await rpc().take(id);

    expect(taken.map((call) => [call.id, call.builtIn, call.arguments])).to.deep.equal([
      [first, true, []],
      [second, false, [{ name: 'rate', value: { deep: [1, null, 'é'] } }]],
    ]);
    expect(await rpc().countWaiting(id)).to.equal(0);
    expect(await rpc().take(id)).to.deep.equal([]);
    expect(await rpc().countWaiting(other.id)).to.equal(1);
  });

  it('gives each call to one of many who ask at once', async () => {
    const { id } = await addExperiment(storage());
    const made = await Promise.all(Array.from({ length: 20 }, () => addCall(id)));

    const taken = (await Promise.all(Array.from({ length: 6 }, () => rpc().take(id))))
      .flat()
      .map((call) => call.id);

    expect([...taken].sort()).to.deep.equal([...made].sort());
  });

  it('keeps the first result of a call', async () => {
    const { id } = await addExperiment(storage());
    const call = await addCall(id);
    const result = {
      result: 'done',
      errorMessage: undefined,
      errorStackTrace: undefined,
      startTimeMs: 5,
      endTimeMs: 7,
    };
    const first = await rpc().finish(id, call, result);
    const again = await rpc().finish(id, call, { ...result, result: 'other' });

    const [kept] = await rpc().list(id, 10);

    expect([first, again]).to.deep.equal([true, false]);
    expect([
      kept?.status,
      kept?.result,
      kept?.errorMessage,
      kept?.startTimeMs,
      kept?.endTimeMs,
    ]).to.deep.equal(['done', 'done', undefined, 5, 7]);
  });

  it('finds no call of another run, nor one for a malformed id', async () => {
    const [{ id }, other] = [await addExperiment(storage()), await addExperiment(storage())];
    const call = await addCall(id);
    const result = {
      result: '',
      errorMessage: 'it failed',
      errorStackTrace: undefined,
      startTimeMs: undefined,
      endTimeMs: undefined,
    };

    expect(await rpc().finish(other.id, call, result)).to.equal(false);
    expect(await rpc().finish(id, 'no-such-call', result)).to.equal(false);
    expect((await rpc().list(id, 10)).map((one) => one.status)).to.deep.equal(['waiting']);
  });

  it('lists the newest calls first, as many as asked for', async () => {
    const { id } = await addExperiment(storage());
    const made: string[] = [];
    for (const createdAt of [start, start + 1, start + 2])
      made.push(await addCall(id, { createdAt }));

    expect((await rpc().list(id, 2)).map((call) => call.id)).to.deep.equal([made[2], made[1]]);
  });
};
