// How deliveries are worked through, over the embedded storage, with a clock that stands still and receivers that are functions.
import { expect } from 'chai';
import { systemIds } from '#adapters/system/ids';
import { promMeters } from '#adapters/system/meters';
import { gcmSealer } from '#adapters/system/sealer';
import { recordTogether } from '#config/delivery-results';
import { createAnnouncements } from '#core/webhooks/announcing';
import { sealTarget } from '#core/webhooks/calling';
import { listDue, takeDue, workChannel, type DeliveringNeeds } from '#core/webhooks/delivering';
import { fanOut } from '#core/webhooks/fan-out';
import type { DomainEvent } from '#ports/events';
import type { Channel } from '#ports/model/channels';
import type { Message, NotifyTarget } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';
import type { Storage } from '#ports/storage/storage';
import { addUser, addWorkspace, freshId, start } from '#test/contract/storage/builders';
import { addChannel } from '#test/contract/storage/channels';
import { addModel, addVersion } from '#test/contract/storage/registry-builders';
import { embedded } from '../opened.js';

type Answer = (message: Message, target: NotifyTarget, place: number) => Partial<OutgoingReply>;

const arrives: Answer = () => ({ status: 204 });
const down: Answer = () => ({ error: 'down', retry: true });
const gone: Answer = () => ({ status: 410, error: 'gone', retry: false });

describe('deliveries', () => {
  const opened = embedded();
  const storage = (): Storage => opened().storage;

  const sealer = gcmSealer(() => 'k'.repeat(32));
  /** A process that delivers: what it sent, by address, and how receivers answer. */
  const rig = () => {
    const time = { now: start };
    const sent: { readonly kind: string; readonly address: string; readonly message: Message }[] =
      [];
    const answers = new Map<string, Answer>();
    const notifier = (kind: string) => ({
      kind,
      check: () => undefined,
      async send(message: Message, target: NotifyTarget): Promise<OutgoingReply> {
        const place = sent.filter(({ address }) => address === target.address).length;
        sent.push({ kind, address: target.address, message });
        return {
          durationMs: 1,
          text: '',
          retry: false,
          ...(answers.get(target.address) ?? arrives)(message, target, place),
        };
      },
    });
    const notifiers = new Map(['http', 'email'].map((kind) => [kind, notifier(kind)]));
    const holder = freshId();
    const needs: DeliveringNeeds = {
      storage: storage(),
      baseUrl: 'http://o',
      clock: { now: () => time.now },
      ids: systemIds,
      sealer,
      notifiers: { find: (kind) => notifiers.get(kind), kinds: () => [...notifiers.keys()] },
      forms: { find: () => undefined },
      toggles: { isOn: () => true },
      users: storage().stores.users,
      log: {
        error: () => undefined,
        warn: () => undefined,
        info: () => undefined,
        debug: () => undefined,
      },
      meters: promMeters(),
      holder,
      giveWay: async () => undefined,
      recordAttempts: recordTogether(
        (attempts, given) => storage().stores.deliveries.recordAttempts(holder, attempts, given),
        async () => undefined,
      ),
    };
    const never = new AbortController().signal;
    const work = async ({ id }: Pick<Channel, 'id'>): Promise<void> => {
      for (const taken of await takeDue(needs, [id])) await workChannel(needs, taken, never);
    };
    return {
      needs,
      time,
      sent,
      answers,
      work,
      to: (address: string) =>
        sent.filter((one) => one.address === address).map(({ message }) => message.id),
      metrics: () => needs.meters.show(),
    };
  };
  const makeChannel = async (address: string, given: Partial<Channel> = {}): Promise<Channel> => {
    const id = freshId();
    return addChannel(storage(), {
      id,
      place: id,
      sealed: sealTarget({ sealer }, id, { address, headers: {} }),
      ...given,
    });
  };
  const enqueue = async (channel: Channel, subjectId: string, at = start): Promise<string> => {
    const eventId = freshId();
    await storage().stores.deliveries.enqueue([
      {
        id: freshId(),
        channelId: channel.id,
        workspaceId: channel.workspaceId,
        subjectId,
        eventId,
        trigger: 'MODEL_UPDATED',
        content: JSON.stringify({
          eventId,
          eventType: 'MODEL_UPDATED',
          addedStages: [],
          removedStages: [],
          tags: [],
          timestamp: at,
          workspaceName: 'w',
        }),
        createdAt: at,
      },
    ]);
    return eventId;
  };
  const statesOf = async (channel: Channel) =>
    (
      await storage().stores.deliveries.search({
        workspaceId: channel.workspaceId,
        channelId: channel.id,
        offset: 0,
        limit: 1000,
      })
    ).deliveries.map(({ state }) => state);

  it('arrive once each, in the order of their subject', async () => {
    const [{ work, to, metrics }, channel, [one, other]] = [
      rig(),
      await makeChannel('https://a/'),
      [freshId(), freshId()],
    ];
    const first = [
      await enqueue(channel, one),
      await enqueue(channel, one),
      await enqueue(channel, one),
    ];
    const second = [await enqueue(channel, other), await enqueue(channel, other)];

    await work(channel);
    await work(channel);

    expect([
      to('https://a/').filter((id) => first.includes(id)),
      to('https://a/').filter((id) => second.includes(id)),
      to('https://a/').length,
    ]).to.deep.equal([first, second, 5]);
    expect(await metrics()).to.match(
      /orrery_deliveries_total\{kind="http",outcome="delivered"\} 5/,
    );
  });

  it('wait behind one that fails, of the same subject only', async () => {
    const [{ work, to, answers, time, needs }, channel, [one, other]] = [
      rig(),
      await makeChannel('https://b/'),
      [freshId(), freshId()],
    ];
    const [failing, behind, free] = [
      await enqueue(channel, one),
      await enqueue(channel, one),
      await enqueue(channel, other),
    ];
    answers.set('https://b/', ({ id }, _, place) =>
      id === failing && place < 3 ? { error: 'down', retry: true } : { status: 200 },
    );

    await work(channel);
    expect(to('https://b/')).to.have.members([failing, free]);
    expect(await listDue(needs)).not.to.include(channel.id);
    time.now += 1000;
    await work(channel);
    time.now += 10_000;
    await work(channel);

    expect(to('https://b/').filter((id) => id !== free)).to.deep.equal([
      failing,
      failing,
      failing,
      behind,
    ]);
  });

  it('are given up after eight attempts, and the next one gets its turn', async () => {
    const [{ work, to, answers, time }, channel, subject] = [
      rig(),
      await makeChannel('https://c/'),
      freshId(),
    ];
    const [lost, next] = [
      await enqueue(channel, subject),
      await enqueue(channel, subject, start + 80_000_000),
    ];
    answers.set('https://c/', ({ id }) =>
      id === lost ? { error: 'down', retry: true } : { status: 200 },
    );

    for (let tries = 0; tries < 20; tries++) {
      await work(channel);
      time.now += 25_000_000;
    }

    expect(to('https://c/').filter((id) => id === lost).length).to.be.within(2, 8);
    expect([
      to('https://c/').at(-1),
      await statesOf(channel),
      (await storage().stores.channels.find(channel.id))?.failures,
    ]).to.deep.equal([next, ['DELIVERED', 'FAILED'], 0]);
  });

  it('stop after fifty in a row were given up, keep what waits, and tell who made the webhook', async () => {
    const [{ work, to, answers, sent }, maker] = [
      rig(),
      await addUser(storage(), { email: `maker-${freshId()}@people.example` }),
    ];
    const workspace = await addWorkspace(storage());
    const channel = await makeChannel('https://d.example/secret-path', {
      createdBy: maker.id,
      workspaceId: workspace.id,
    });
    answers.set('https://d.example/secret-path', gone);
    for (let i = 0; i < 53; i++) await enqueue(channel, freshId());

    await work(channel);
    await work(channel);

    const found = await storage().stores.channels.find(channel.id);
    expect([found?.enabled, found?.fault?.includes('50 deliveries in a row')]).to.deep.equal([
      false,
      true,
    ]);
    expect(to('https://d.example/secret-path').length).to.be.within(50, 53);
    expect((await statesOf(channel)).filter((state) => state === 'WAITING').length).to.equal(
      53 - to('https://d.example/secret-path').length,
    );
    const mailbox = await storage().stores.channels.findByPlace(
      `person ${workspace.id} ${maker.id}`,
    );
    if (mailbox === undefined) throw new Error('no mail was made');
    await work(mailbox);
    const [mail] = sent.filter(({ kind }) => kind === 'email');
    expect([
      mail?.address,
      mail?.message.title,
      JSON.stringify(mail?.message).includes('secret-path'),
    ]).to.deep.equal([maker.email, `A webhook of ${workspace.name} was switched off`, false]);
  });

  it('begin to count anew once one arrives', async () => {
    const [{ work, answers }, channel] = [rig(), await makeChannel('https://e/', { failures: 49 })];
    await enqueue(channel, freshId());
    await work(channel);
    answers.set('https://e/', gone);
    await enqueue(channel, freshId());
    await work(channel);

    const found = await storage().stores.channels.find(channel.id);
    expect([found?.enabled, found?.failures]).to.deep.equal([true, 1]);
  });

  it('are worked on by one process at a time', async () => {
    const [one, other, channel, subject] = [
      rig(),
      rig(),
      await makeChannel('https://f/'),
      freshId(),
    ];
    const all: string[] = [];
    for (let i = 0; i < 20; i++) all.push(await enqueue(channel, subject));

    await Promise.all([one.work(channel), other.work(channel)]);
    await one.work(channel);

    expect([...one.to('https://f/'), ...other.to('https://f/')])
      .to.have.members(all)
      .and.have.length(20);
  });

  it('of a target sealed under another key stay, and say why', async () => {
    const [{ work, sent }, channel] = [
      rig(),
      await addChannel(storage(), { sealed: '1.00000000.AAAA' }),
    ];
    await enqueue(channel, freshId());

    await work(channel);

    const {
      deliveries: [delivery],
    } = await storage().stores.deliveries.search({
      workspaceId: channel.workspaceId,
      channelId: channel.id,
      offset: 0,
      limit: 1,
    });
    expect([
      sent.length,
      delivery?.state,
      delivery?.error?.includes('ORRERY_SEAL_KEY'),
    ]).to.deep.equal([0, 'WAITING', true]);
  });

  it('by mail are gathered into one message after sixty within an hour', async () => {
    const [{ work, sent, time }, user] = [
      rig(),
      await addUser(storage(), { email: `busy-${freshId()}@people.example` }),
    ];
    const [channel, subject] = [
      await makeChannel('', { use: 'person', kind: 'email', userId: user.id }),
      freshId(),
    ];
    for (let i = 0; i < 70; i++) await enqueue(channel, subject);

    await work(channel);
    expect(sent.length).to.equal(60);
    await enqueue(channel, subject, time.now + 5);
    time.now += 600_000;
    await work(channel);

    expect([
      sent.length,
      sent.at(-1)?.message.title,
      new Set(await statesOf(channel)).size,
    ]).to.deep.equal([61, '11 messages about w', 1]);
  });

  it('by mail stop after five bounces, and to nobody without an address', async () => {
    const [{ work, answers }, user, silent] = [
      rig(),
      await addUser(storage(), { email: `bounces-${freshId()}@people.example` }),
      await addUser(storage()),
    ];
    const [channel, empty] = [
      await makeChannel('', { use: 'person', kind: 'email', userId: user.id }),
      await makeChannel('', { use: 'person', kind: 'email', userId: silent.id }),
    ];
    answers.set(user.email ?? '', gone);
    for (let i = 0; i < 6; i++) await enqueue(channel, freshId());
    await enqueue(empty, freshId());

    await work(channel);
    await work(empty);

    expect([
      (await storage().stores.channels.find(channel.id))?.enabled,
      await statesOf(empty),
    ]).to.deep.equal([false, ['FAILED']]);
  });

  describe('of an event', () => {
    const eventOf = (
      workspaceId: string,
      modelId: string,
      given: Partial<DomainEvent> = {},
    ): DomainEvent => ({
      id: freshId(),
      subject: `registry-model:${modelId}`,
      number: 1,
      name: 'registry.stage-changed',
      at: start,
      detail: {
        triggers: ['MODEL_VERSION_TAG_CHANGED', 'MODEL_VERSION_STAGE_CHANGED'],
        workspaceId,
        workspaceName: 'w',
        registryModelId: modelId,
        registryModelName: 'm',
        ...given.detail,
      },
      ...given,
    });
    const waitingFor = async (workspaceId: string) =>
      (await storage().stores.deliveries.search({ workspaceId, offset: 0, limit: 100 })).deliveries;

    it('are made once for each that asks for it, however often it is told', async () => {
      const [{ needs }, { id: workspaceId }, modelId] = [
        rig(),
        await addWorkspace(storage()),
        freshId(),
      ];
      const [own, every] = [
        await makeChannel('https://g/', { workspaceId, modelId }),
        await makeChannel('https://h/', { workspaceId }),
      ];
      for (const given of [
        { modelId: freshId() },
        { triggers: ['MODEL_DELETED'] },
        { createdAt: start + 1 },
        { enabled: false },
      ])
        await makeChannel('https://i/', { workspaceId, ...given });
      const event = eventOf(workspaceId, modelId);

      await Promise.all(
        [fanOut(needs)([event]), fanOut(needs)([event])].map((told) => told.catch(() => undefined)),
      );
      await fanOut(needs)([event]);

      const made = await waitingFor(workspaceId);
      expect(
        made.map(({ channelId, eventId, subjectId, trigger }) => [
          channelId,
          eventId,
          subjectId,
          trigger,
        ]),
      ).to.have.deep.members(
        [own, every].map(({ id }) => [id, event.id, modelId, 'MODEL_VERSION_TAG_CHANGED']),
      );
    });

    it('are none while webhooks are switched off, but for channels', async () => {
      const [{ needs }, { id: workspaceId }, modelId] = [
        rig(),
        await addWorkspace(storage()),
        freshId(),
      ];
      await makeChannel('https://j/', { workspaceId });
      const room = await makeChannel('https://k/', { workspaceId, use: 'channel' });

      await fanOut({ ...needs, toggles: { isOn: () => false } })([eventOf(workspaceId, modelId)]);
      await fanOut(needs)([{ ...eventOf(workspaceId, modelId), name: 'experiment.created' }]);

      expect((await waitingFor(workspaceId)).map(({ channelId }) => channelId)).to.deep.equal([
        room.id,
      ]);
    });

    it('go by mail to those who decide a request, and to who filed it', async () => {
      const { needs, work, sent } = rig();
      const model = await addModel(storage());
      const version = await addVersion(storage(), model);
      const [admin, member] = [
        await addUser(storage(), { email: `admin-${freshId()}@people.example` }),
        await addUser(storage(), { email: `member-${freshId()}@people.example` }),
      ];
      await storage().stores.members.setRole(model.workspaceId, admin.id, 'admin', []);
      await storage().stores.members.setRole(model.workspaceId, member.id, 'member', []);
      const requestId = freshId();
      await storage().stores.approvals.insertRequest({
        id: requestId,
        workspaceId: model.workspaceId,
        modelId: model.id,
        versionId: version.id,
        status: 'Production',
        from: 'None',
        comment: 'please',
        userId: member.id,
        createdAt: start,
      });
      const detail = {
        triggers: ['MODEL_VERSION_STATUS_REQUEST_CHANGE'],
        workspaceId: model.workspaceId,
        workspaceName: 'w',
        registryModelId: model.id,
        registryModelName: 'm',
        version: '2.3.0',
        requestId,
        newValue: { registryModelStatus: 'Production' },
        comment: 'please',
        userName: member.name,
        modelUrl: 'http://o/m',
      };

      await fanOut(needs)([
        { ...eventOf(model.workspaceId, model.id, { name: 'registry.status-requested' }), detail },
      ]);
      await fanOut(needs)([
        {
          ...eventOf(model.workspaceId, model.id, { name: 'registry.status-rejected' }),
          detail: {
            ...detail,
            triggers: ['MODEL_VERSION_STATUS_REQUEST_REJECTED'],
            userName: admin.name,
          },
        },
      ]);
      for (const { channelId } of await waitingFor(model.workspaceId))
        await work({ id: channelId });

      expect(
        sent.map(({ address, message }) => [address, message.title, message.text]),
      ).to.have.deep.members([
        [admin.email, 'Status change to Production asked for model m 2.3.0', 'please'],
        [member.email, 'Status change to Production refused for model m 2.3.0', 'please'],
      ]);
      expect(sent[0]?.message.links).to.deep.equal([
        { label: 'Open the model', address: 'http://o/m' },
      ]);
    });

    it('tell channels of a workspace what a plugin announces, once for each', async () => {
      const { needs, work, sent, to } = rig();
      const { id: workspaceId, name } = await addWorkspace(storage());
      const room = await makeChannel('https://room/', {
        workspaceId,
        use: 'channel',
        name: 'Room',
      });
      const hook = await makeChannel('https://hook/', { workspaceId, use: 'webhook' });
      const other = await makeChannel('https://other/', { use: 'channel' });
      const announcements = createAnnouncements(needs);
      const [subject, id] = [freshId(), freshId()];
      const message = {
        ...{ id, at: start, workspaceId, subject, title: 'Too much', text: 'See to it.' },
        ...{ facts: [{ name: 'Value', value: '12' }], links: [], level: 'critical' as const },
        ...{ incident: { id: 'i1', place: 1 }, record: '{"value":12}' },
      };
      const ids = [room.id, hook.id, other.id, 'none'];

      await Promise.all([
        announcements.announce(message, ids),
        announcements.announce(message, ids),
      ]);
      await announcements.announce(message, ids);
      for (const channel of [room, hook, other]) await work(channel);

      expect(await announcements.workspaceName(workspaceId)).to.equal(name);
      expect(await announcements.workspaceName(freshId())).to.equal(undefined);
      expect(await announcements.channels(workspaceId)).to.deep.equal([
        { id: room.id, kind: 'http', name: 'Room', enabled: true },
      ]);
      expect([to('https://room/'), to('https://hook/'), to('https://other/')]).to.deep.equal([
        [id],
        [],
        [],
      ]);
      const { workspaceId: _, subject: __, ...told } = message;
      expect(sent[0]?.message).to.deep.equal({ ...told, workspace: name });
      expect(await announcements.deliveries(workspaceId, subject, 10)).to.deep.equal([
        {
          id,
          incident: 'i1',
          channelId: room.id,
          state: 'DELIVERED',
          attempts: 1,
          error: undefined,
        },
      ]);
      expect(await announcements.deliveries(other.workspaceId, subject, 10)).to.deep.equal([]);
    });

    it('go by mail to who was named in a comment and has an address', async () => {
      const { needs, work, sent } = rig();
      const { id: workspaceId } = await addWorkspace(storage());
      const [named, silent] = [
        await addUser(storage(), { email: `named-${freshId()}@people.example` }),
        await addUser(storage()),
      ];
      const event = {
        ...eventOf(workspaceId, freshId(), { name: 'comments.mentioned' }),
        detail: {
          workspaceId,
          workspaceName: 'w',
          experimentKey: 'abc',
          userName: 'ann',
          mentionedIds: [named.id, silent.id],
          text: '<b>look</b> @named',
        },
      };

      await fanOut(needs)([event]);
      await fanOut(needs)([event]);
      for (const { channelId } of await waitingFor(workspaceId)) await work({ id: channelId });

      expect(
        sent.map(({ address, message: { title, text, links } }) => [address, title, text, links]),
      ).to.deep.equal([
        [
          named.email,
          'ann named you in a comment in w',
          '<b>look</b> @named',
          [
            {
              label: 'Open the run',
              address: 'http://o/api/experiment/redirect?experimentKey=abc',
            },
          ],
        ],
      ]);
    });

    it('are the last ones of a model that is deleted', async () => {
      const [{ needs, work, to }, { id: workspaceId }, modelId] = [
        rig(),
        await addWorkspace(storage()),
        freshId(),
      ];
      const channel = await makeChannel('https://l/', {
        workspaceId,
        modelId,
        triggers: ['MODEL_DELETED'],
      });
      const event = {
        ...eventOf(workspaceId, modelId, { name: 'registry.model-deleted' }),
        detail: { ...eventOf(workspaceId, modelId).detail, triggers: ['MODEL_DELETED'] },
      };

      await fanOut(needs)([event]);
      await storage().stores.deliveries.forget(0, 10);
      await work(channel);
      expect(to('https://l/')).to.deep.equal([event.id]);
      await storage().stores.deliveries.forget(0, 10);

      expect(await storage().stores.channels.find(channel.id)).to.equal(undefined);
    });
  });

  it('that nobody answers are tried again later', async () => {
    const [{ work, answers, needs, time }, channel] = [rig(), await makeChannel('https://m/')];
    answers.set('https://m/', down);
    await enqueue(channel, freshId());

    await work(channel);

    expect([(await listDue(needs)).includes(channel.id), await statesOf(channel)]).to.deep.equal([
      false,
      ['WAITING'],
    ]);
    time.now += 1000;
    expect((await listDue(needs)).includes(channel.id)).to.equal(true);
  });
});
