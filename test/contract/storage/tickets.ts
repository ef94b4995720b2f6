import { expect } from 'chai';
import type { Ticket } from '#ports/model/tickets';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, start } from './builders.js';

/** What every store of one-time tickets keeps to. */
export const ticketContract = (storage: () => Storage): void => {
  const tickets = () => storage().stores.tickets;
  const add = async (given: Partial<Ticket> = {}) => {
    const hash = freshName('hash');
    const ticket: Ticket = {
      id: freshId(),
      kind: 'reset',
      userId: freshId(),
      email: undefined,
      mailed: false,
      workspaceId: undefined,
      role: undefined,
      permissions: [],
      madeBy: undefined,
      createdAt: start,
      expiresAt: start + 1000,
      ...given,
    };
    await tickets().insert({ ...ticket, hash });
    return { hash, ticket };
  };
  const invite = (workspaceId: string, given: Partial<Ticket> = {}) =>
    add({
      kind: 'invitation',
      userId: undefined,
      email: 'Ada@example.org',
      mailed: true,
      workspaceId,
      role: 'member',
      permissions: ['invite'],
      madeBy: freshId(),
      ...given,
    });

  it('finds a ticket by its hash and its kind until it expires, and leaves it there', async () => {
    const { hash, ticket } = await add();

    expect(await tickets().findByHash('reset', hash, start)).to.deep.equal(ticket);
    expect(await tickets().findByHash('reset', hash, start + 999)).to.deep.equal(ticket);
    expect(await tickets().findByHash('reset', hash, start + 1000)).to.equal(undefined);
    expect(await tickets().findByHash('invitation', hash, start)).to.equal(undefined);
    expect(await tickets().findByHash('reset', freshName('hash'), start)).to.equal(undefined);
  });

  it('consumes a ticket once, when it is taken', async () => {
    const { hash, ticket } = await invite(freshId());

    expect(await tickets().take('reset', hash, start)).to.equal(undefined);
    expect(await tickets().take('invitation', hash, start + 1000)).to.equal(undefined);
    expect(await tickets().take('invitation', hash, start)).to.deep.equal(ticket);
    expect(await tickets().take('invitation', hash, start)).to.equal(undefined);
    expect(await tickets().findByHash('invitation', hash, start)).to.equal(undefined);
  });

  it('gives a ticket to one of many who take it at once', async () => {
    const { hash, ticket } = await add();

    const taken = await Promise.all(
      Array.from({ length: 8 }, () => tickets().take('reset', hash, start)),
    );

    expect(taken.filter((one) => one !== undefined)).to.deep.equal([ticket]);
  });

  it('lists the invitations of a workspace that stand, newest first', async () => {
    const workspaceId = freshId();
    const [old, fresh] = [
      await invite(workspaceId),
      await invite(workspaceId, { createdAt: start + 1, expiresAt: start + 3000 }),
    ];
    await invite(freshId());

    expect(await tickets().listInvitations(workspaceId, start)).to.deep.equal([
      fresh.ticket,
      old.ticket,
    ]);
    expect(await tickets().listInvitations(workspaceId, start + 2000)).to.deep.equal([
      fresh.ticket,
    ]);
  });

  it('finds an invitation by its id until it is used, and no other ticket', async () => {
    const [invitation, reset] = [await invite(freshId()), await add()];

    expect(await tickets().findInvitation(invitation.ticket.id)).to.deep.equal(invitation.ticket);
    expect(await tickets().findInvitation(reset.ticket.id)).to.equal(undefined);
    await tickets().take('invitation', invitation.hash, start);
    expect(await tickets().findInvitation(invitation.ticket.id)).to.equal(undefined);
  });

  it('removes one ticket, or those of a kind about a user', async () => {
    const userId = freshId();
    const [first, second, other, invitation] = [
      await add({ userId }),
      await add({ userId }),
      await add(),
      await invite(freshId(), { userId }),
    ];

    expect(await tickets().removeOf(userId, 'reset')).to.equal(2);
    expect(await tickets().findByHash('reset', first.hash, start)).to.equal(undefined);
    expect(await tickets().findByHash('reset', second.hash, start)).to.equal(undefined);
    expect(await tickets().findByHash('invitation', invitation.hash, start)).to.deep.equal(
      invitation.ticket,
    );
    expect(await tickets().remove(other.ticket.id)).to.equal(true);
    expect(await tickets().remove(other.ticket.id)).to.equal(false);
    expect(await tickets().findByHash('reset', other.hash, start)).to.equal(undefined);
  });

  it('removes tickets that expired, a few at a time', async () => {
    const expired = await Promise.all([1, 2, 3].map((n) => add({ expiresAt: n })));
    const { hash, ticket } = await add();

    expect(await tickets().removeExpired(3, 2)).to.equal(2);
    expect(await tickets().removeExpired(3, 2)).to.equal(1);
    expect(await tickets().removeExpired(3, 2)).to.equal(0);
    expect(
      await Promise.all(expired.map((one) => tickets().findByHash('reset', one.hash, 0))),
    ).to.deep.equal([undefined, undefined, undefined]);
    expect(await tickets().findByHash('reset', hash, start)).to.deep.equal(ticket);
  });
};
