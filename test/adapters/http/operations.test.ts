// Operations in process are called for callers that the server knows.
import { trackingFamily } from '#ports/api/families/tracking';
import { expect } from 'chai';
import { inProcess } from '#adapters/http/operations';
import type { Operation } from '#ports/api/operation';
import { object, text } from '#ports/api/schema';
import { isFailure } from '#ports/failure';
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
  const operations = inProcess(
    () => [
      {
        id: 'whoAmI',
        area: 'made-up',
        family: trackingFamily,
        operation,
        handle: async ({ caller }: { readonly caller: Caller }) => {
          seen.push(caller);
          return { name: caller.userName };
        },
      },
    ],
    { admit: async () => ({}), permit: async () => undefined },
    { note: async () => 'entry', complete: async () => undefined },
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
});
