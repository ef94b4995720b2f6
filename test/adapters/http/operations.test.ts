// Operations in process are called for callers that the server knows.
import { privateFamily } from '#ports/api/families/private';
import { expect } from 'chai';
import { markKnown } from '#adapters/http/known-callers';
import { inProcess } from '#adapters/http/operations';
import type { Operation } from '#ports/api/operation';
import { object, text } from '#ports/api/schema';
import { Failure, isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { rejection } from '#test/contract/storage/builders';

describe('operations in process', () => {
  const seen: Caller[] = [];
  const operation: Operation = {
    method: 'GET',
    path: '/whoami',
    access: { needs: 'caller', about: 'caller' },
    summary: 'Who calls',
    replies: { 200: object({ name: text() }) },
  };
  const handle = async ({ caller }: { readonly caller: Caller }) => {
    seen.push(caller);
    return { name: caller.userName };
  };
  const rows: Readonly<Record<string, Partial<Operation>>> = {
    whoAmI: {},
    sayIt: { method: 'POST', body: object({ it: text({ min: 2 }) }) },
    hidden: { toggle: 'hidden' },
    forbidden: { audit: true },
  };
  const noted: string[] = [];
  let full: string | undefined;
  const operations = inProcess(
    () =>
      Object.entries(rows).map(([id, row]) => ({
        id,
        area: 'made-up',
        family: privateFamily,
        operation: { ...operation, ...row },
        handle,
      })),
    {
      gate: {
        admit: async ({ audit }) => {
          if (audit === true) throw new Failure('forbidden', 'not this one');
          return {};
        },
        permit: async () => undefined,
        workspaceOf: async () => undefined,
      },
      audit: {
        note: async ({ action, address, outcome }) => {
          noted.push(`${action} ${address ?? ''} ${outcome}`);
          return 'entry';
        },
        complete: async () => undefined,
      },
      toggles: { isOn: () => false },
      readiness: {
        fault: async () => undefined,
        refusal: () => full,
        started: () => undefined,
        stopping: () => undefined,
      },
    },
  );
  const installation = () =>
    operations.forInstallation({
      id: 'u1',
      name: 'ada',
      kind: 'person',
      defaultWorkspaceId: undefined,
    });
  const refused = async (work: Promise<unknown>) => {
    const thrown = await rejection(work);
    return isFailure(thrown) ? thrown.kind : thrown;
  };

  it('are called in the name of the installation', async () => {
    expect(await operations.call('whoAmI', {}, installation())).to.deep.equal({ name: 'ada' });
    expect(seen.at(-1)?.admin).to.equal(true);
  });

  it('are refused for a caller that somebody wrote down, and for a copy of a known one', async () => {
    expect(await refused(operations.call('whoAmI', {}, { ...installation() }))).to.equal(
      'unauthenticated',
    );
    expect(() => operations.withRights({ ...installation() }, { everywhere: true })).to.throw(
      'callers that this server identified',
    );
  });

  it('are called for a known caller with other rights, which does not get further ones', async () => {
    const roles = new Map([['w1', 'member' as const]]);
    const lesser = operations.withRights(installation(), { everywhere: false, roles });
    await operations.call('whoAmI', {}, lesser);
    expect(seen.at(-1)).to.include({ everywhere: false, userName: 'ada' });
    expect(seen.at(-1)?.roles).to.equal(roles);
  });

  describe('in the course of a request', () => {
    const caller = () => markKnown({ ...installation(), via: 'key' });
    const from = { address: '10.0.0.1', source: '10.0.0.1', signal: new AbortController().signal };

    it('are refused by the rules of the row, as its family has them', async () => {
      const say = (it: string) => refused(operations.call('sayIt', { body: { it } }, caller()));

      expect(await say('a')).to.equal('unprocessable');
      expect(await say('a\0b')).to.equal('invalid');
      expect(await operations.call('sayIt', { body: { it: '\\u0000' } }, caller())).to.be.an(
        'object',
      );
    });

    it('are not there while their toggle is off', async () => {
      expect(await refused(operations.call('hidden', {}, caller()))).to.equal('invalid');
      expect(await operations.call('hidden', {}, installation())).to.be.an('object');
    });

    it('write nothing while the server takes nothing in', async () => {
      full = 'the disk is full';
      expect(await refused(operations.call('sayIt', { body: { it: 'ab' } }, caller()))).to.equal(
        'unavailable',
      );
      expect(await operations.call('whoAmI', {}, caller())).to.be.an('object');
      full = undefined;
    });

    it('are written down where the gate refuses one that is audited', async () => {
      expect(await refused(operations.call('forbidden', { from }, caller()))).to.equal('forbidden');
      expect(noted).to.deep.equal(['forbidden 10.0.0.1 refused']);
    });
  });
});
