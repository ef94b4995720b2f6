// Keys, members, accounts and what is written down of them, as people use them.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { neverStored } from '#test/clients/secrets';
import { startServer, type StartedServer } from '#test/clients/server';
import { rows } from './rows.js';
import { models } from '#test/areas/registry/things';
import { freshName, mayCallNowhere } from './fresh.js';
import { makePeople, type People } from './people.js';
import { makeWorld } from './world.js';

type Json = Record<string, unknown>;
interface Reply {
  readonly status: number;
  readonly body: Json;
}

const run = promisify(execFile);
const cli = fileURLToPath(new URL('../../config/cli.js', import.meta.url));

describe('rights', () => {
  let server: StartedServer;
  let people: People;
  let administrator: string;
  before(async () => {
    const started = await startServer({
      storage: 'embedded',
      env: { ...mayCallNowhere, ORRERY_CHECK_REPLIES: '1' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    people = await makePeople(server);
    administrator = String(
      (await ask(server.apiKey, '/api/rest/v2/account-details')).body['userName'],
    );
  });
  after(() => server?.stop());

  const ask = async (
    key: string,
    path: string,
    body?: unknown,
    method = body === undefined ? 'GET' : 'POST',
  ): Promise<Reply> => {
    const reply = await fetch(server.url + path, {
      method,
      headers: { authorization: key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Json }; // every reply of the API is an object
  };
  const admin = (path: string, body?: unknown, method?: string) =>
    ask(server.apiKey, `/api/admin${path}`, body, method);
  const write = (key: string, path: string, body: unknown) =>
    ask(key, `/api/rest/v2/write${path}`, body);
  const workspaces = async (key: string) =>
    (await ask(key, '/api/rest/v2/workspaces')).body['workspaceNames'];
  const newUser = async (more: Json = {}) => {
    const userName = freshName('person');
    const { status, body } = await admin('/users', { userName, ...more });
    expect(status, JSON.stringify(body)).to.equal(200);
    return {
      userName,
      apiKey: neverStored(String(body['apiKey'])),
      workspaceName: String(body['workspaceName']),
    };
  };

  describe('keys', () => {
    it('are several, named, and their secrets are told once', async () => {
      const { apiKey } = await newUser();
      const { body: made } = await ask(apiKey, '/api/auth/keys', { name: 'laptop' });

      const { body } = await ask(String(made['apiKey']), '/api/auth/keys');

      const keys = body['keys'] as Json[]; // the row's reply
      expect(keys.map((key) => [key['name'], key['scope']])).to.deep.equal([
        ['laptop', null],
        ['first', null],
      ]);
      expect(JSON.stringify(body)).to.not.include(String(made['apiKey']).split('*')[0]);
    });

    it('authenticate whole and short', async () => {
      const { apiKey } = await newUser();

      expect(
        JSON.parse(Buffer.from(apiKey.split('*')[1] ?? '', 'base64').toString()),
      ).to.deep.equal({ baseUrl: server.url });
      for (const form of [apiKey, apiKey.split('*')[0] ?? '', `Bearer ${apiKey}`])
        expect((await ask(form, '/api/rest/v2/account-details')).status).to.equal(200);
    });

    it('stop working at once when they are revoked, and belong to one user', async () => {
      const [one, other] = [await newUser(), await newUser()];
      const { body: made } = await ask(one.apiKey, '/api/auth/keys', { name: 'ci' });

      expect(
        (await ask(other.apiKey, `/api/auth/keys/${String(made['keyId'])}`, undefined, 'DELETE'))
          .status,
      ).to.equal(400);
      expect((await ask(String(made['apiKey']), '/api/rest/v2/account-details')).status).to.equal(
        200,
      );
      expect(
        (await ask(one.apiKey, `/api/auth/keys/${String(made['keyId'])}`, undefined, 'DELETE'))
          .status,
      ).to.equal(200);
      expect((await ask(String(made['apiKey']), '/api/rest/v2/account-details')).status).to.equal(
        401,
      );
    });

    it('are replaced by one of the same name and scope', async () => {
      const { apiKey, workspaceName } = await newUser();
      const { body: made } = await ask(apiKey, '/api/auth/keys', {
        name: 'ci',
        readOnly: true,
        workspaceName,
      });

      const { body: next } = await ask(
        apiKey,
        `/api/auth/keys/${String(made['keyId'])}/rotate`,
        {},
      );

      expect((await ask(String(made['apiKey']), '/api/rest/v2/account-details')).status).to.equal(
        401,
      );
      expect(
        (await write(String(next['apiKey']), '/project/create', { projectName: 'x' })).body['msg'],
      ).to.equal('this credential may only read');
      const [newest] = (await ask(apiKey, '/api/auth/keys')).body['keys'] as Json[]; // the row's reply
      expect([newest?.['name'], (newest?.['scope'] as Json)['readOnly']]).to.deep.equal([
        'ci',
        true,
      ]);
    });

    it('of one workspace see no other, and make neither workspaces nor keys', async () => {
      const { apiKey, workspaceName } = await newUser();
      const second = freshName('second');
      await write(apiKey, '/workspace/new', { name: second });
      const { body: made } = await ask(apiKey, '/api/auth/keys', {
        name: 'narrow',
        workspaceName: second,
      });
      const key = String(made['apiKey']);

      expect(await workspaces(key)).to.deep.equal([second]);
      expect(
        (await ask(key, '/api/rest/v2/account-details')).body['defaultWorkspaceName'],
      ).to.equal(second);
      expect(
        (await ask(key, `/api/rest/v2/projects?workspaceName=${workspaceName}`)).body,
      ).to.deep.include({ code: 400, sdk_error_code: 90219 });
      expect(
        (await write(key, '/project/create', { workspaceName: second, projectName: 'mine' }))
          .status,
      ).to.equal(200);
      for (const [path, body] of [
        ['/api/rest/v2/write/workspace/new', { name: freshName('more') }],
        ['/api/auth/keys', { name: 'more' }],
      ] as const)
        expect((await ask(key, path, body)).status).to.equal(403);
    });

    it('of one project log there and nowhere else', async () => {
      const { apiKey, workspaceName } = await newUser();
      const { body: project } = await write(apiKey, '/project/create', {
        workspaceName,
        projectName: 'mine',
      });
      await write(apiKey, '/project/create', { workspaceName, projectName: 'other' });
      const key = String(
        (await ask(apiKey, '/api/auth/keys', { name: 'narrow', projectId: project['projectId'] }))
          .body['apiKey'],
      );

      const { body: run } = await write(key, '/experiment/create', {
        workspaceName,
        projectName: 'mine',
      });
      expect(
        (
          await write(key, '/experiment/metric', {
            experimentKey: run['experimentKey'],
            metricName: 'loss',
            metricValue: '1',
          })
        ).status,
      ).to.equal(200);
      expect(
        (await write(key, '/experiment/create', { workspaceName, projectName: 'other' })).body[
          'msg'
        ],
      ).to.equal('this key reaches one project only');
      expect(
        (await ask(key, `/api/rest/v2/projects?workspaceName=${workspaceName}`)).status,
      ).to.equal(403);
    });
  });

  describe('members', () => {
    it('are listed, given roles and permissions, and taken out', async () => {
      const { home } = people;
      const { userName, apiKey } = await newUser();
      await write(home.apiKey, '/add-workspace-member', {
        workspaceName: home.workspace,
        userName,
      });
      await write(home.apiKey, '/workspace/member', {
        workspaceName: home.workspace,
        userName,
        role: 'member',
        permissions: ['invite'],
      });

      const members = (
        await ask(apiKey, `/api/rest/v2/workspace/members?workspaceName=${home.workspace}`)
      ).body['members'] as Json[]; // the row's reply
      expect(members.find((member) => member['userName'] === userName)).to.deep.equal({
        userName,
        role: 'member',
        permissions: ['invite'],
        owner: false,
      });
      expect(members.find((member) => member['owner'] === true)?.['userName']).to.equal(home.name);
      expect(
        (
          await write(apiKey, '/add-workspace-member', {
            workspaceName: home.workspace,
            userName: (await newUser()).userName,
          })
        ).status,
      ).to.equal(200);
      expect(
        (
          await write(apiKey, '/add-workspace-member', {
            workspaceName: home.workspace,
            userName: (await newUser()).userName,
            admin: true,
          })
        ).status,
      ).to.equal(403);
      expect(
        (
          await write(home.apiKey, '/workspace/member/remove', {
            workspaceName: home.workspace,
            userName,
          })
        ).body['msg'],
      ).to.equal('removed');
      expect(await workspaces(apiKey)).to.not.include(home.workspace);
    });

    it('make projects public only with the permission for it', async () => {
      const { home } = people;
      const { userName, apiKey } = await newUser();
      await write(home.apiKey, '/add-workspace-member', {
        workspaceName: home.workspace,
        userName,
      });
      const create = (isPublic: boolean) =>
        write(apiKey, '/project/create', {
          workspaceName: home.workspace,
          projectName: freshName('p'),
          isPublic,
        });
      const { body: project } = await create(false);

      expect((await create(true)).status).to.equal(403);
      expect(
        (
          await write(apiKey, '/project/update', {
            projectId: project['projectId'],
            isPublic: true,
          })
        ).status,
      ).to.equal(403);
      expect(
        (
          await write(apiKey, '/project/update', {
            projectId: project['projectId'],
            isPublic: false,
            newProjectDescription: 'd',
          })
        ).status,
      ).to.equal(200);
      await write(home.apiKey, '/workspace/member', {
        workspaceName: home.workspace,
        userName,
        role: 'member',
        permissions: ['publish'],
      });
      expect((await create(true)).status).to.equal(200);
      expect(
        (
          await write(apiKey, '/project/update', {
            projectId: project['projectId'],
            isPublic: true,
          })
        ).status,
      ).to.equal(200);
    });

    it('leave an administrator and the owner behind', async () => {
      const { apiKey, userName, workspaceName } = await newUser();
      const other = await newUser();
      expect((await write(apiKey, '/workspace/leave', { workspaceName })).body['msg']).to.equal(
        `${userName} is the last administrator of the workspace`,
      );
      await write(apiKey, '/add-workspace-member', {
        workspaceName,
        userName: other.userName,
        admin: true,
      });
      expect((await write(apiKey, '/workspace/leave', { workspaceName })).body['msg']).to.equal(
        'the caller owns the workspace; give it to another first',
      );

      expect(
        (await write(apiKey, '/workspace/owner', { workspaceName, userName: other.userName }))
          .status,
      ).to.equal(200);
      expect((await write(apiKey, '/workspace/leave', { workspaceName })).body['msg']).to.equal(
        'left',
      );
      expect(await workspaces(apiKey)).to.deep.equal([]);
    });
  });

  describe('a workspace', () => {
    const make = async (apiKey: string) => {
      const name = freshName('space');
      await write(apiKey, '/workspace/new', { name });
      return name;
    };

    it('is renamed by its administrator, under the rules for names, and by no other member', async () => {
      const [{ apiKey }, other] = [await newUser(), await newUser()];
      const [workspaceName, newWorkspaceName, taken] = [
        await make(apiKey),
        freshName('renamed'),
        await make(other.apiKey),
      ];
      await write(apiKey, '/add-workspace-member', { workspaceName, userName: other.userName });
      const rename = async (key: string, name: string) =>
        (await write(key, '/workspace/rename', { workspaceName, newWorkspaceName: name })).status;

      expect([
        await rename(other.apiKey, newWorkspaceName),
        await rename(apiKey, 'Bad Name/'),
        await rename(apiKey, taken),
      ]).to.deep.equal([403, 400, 400]);
      expect(await rename(apiKey, newWorkspaceName)).to.equal(200);
      expect(await workspaces(other.apiKey))
        .to.include(newWorkspaceName)
        .and.not.include(workspaceName);
    });

    it('is deleted by its administrator once it holds nothing, unless the caller logs into it', async () => {
      const [{ apiKey, workspaceName: home }, other] = [await newUser(), await newUser()];
      const workspaceName = await make(apiKey);
      const { body: project } = await write(apiKey, '/project/create', {
        workspaceName,
        projectName: 'p',
      });
      const remove = async (key: string, name = workspaceName) =>
        (await write(key, '/workspace/delete', { workspaceName: name })).status;

      expect([
        await remove(other.apiKey),
        await remove(apiKey),
        await remove(apiKey, home),
      ]).to.deep.equal([400, 400, 400]);
      await write(apiKey, '/project/delete', {
        projectId: project['projectId'],
        deleteAllExperiments: true,
      });
      expect(await remove(apiKey)).to.equal(200);
      expect(await workspaces(apiKey)).to.deep.equal([home]);
    });
  });

  describe('a view-only member of the installation', () => {
    it('has no key, and an earlier one works again once the member may write', async () => {
      const { userName, apiKey } = await newUser();
      await admin(`/users/${userName}`, { viewOnly: true }, 'PUT');

      expect((await ask(apiKey, '/api/rest/v2/workspaces')).body).to.deep.include({
        code: 403,
        sdk_error_code: 7000011,
      });
      expect((await admin(`/users/${userName}/keys`, { name: 'k' })).status).to.equal(403);
      await admin(`/users/${userName}`, { viewOnly: false }, 'PUT');
      expect((await ask(apiKey, '/api/rest/v2/workspaces')).status).to.equal(200);
    });
  });

  describe('service accounts', () => {
    it('administer every workspace, rotate their key, and say what they are', async () => {
      const { body: made } = await admin('/service-accounts', { name: 'robot' });
      const { home } = people;
      expect(made).to.deep.include({
        name: 'sa-robot',
        createdBy: administrator,
        defaultWorkspaceName: null,
        lastActivityAt: null,
      });

      expect(
        (
          await write(String(made['apiKey']), '/project/create', {
            workspaceName: home.workspace,
            projectName: freshName('p'),
          })
        ).status,
      ).to.equal(200);
      expect((await write(String(made['apiKey']), '/experiment/create', {})).status).to.equal(400);
      const { body: rotated } = await write(server.apiKey, '/service-account/rotate-api-key', {
        name: 'sa-robot',
      });
      expect((await ask(String(made['apiKey']), '/api/rest/v2/account-details')).status).to.equal(
        401,
      );
      expect(
        (await ask(String(rotated['apiKey']), '/api/rest/v2/account-details')).body['userName'],
      ).to.equal('sa-robot');
      const listed = (await admin('/service-accounts')).body;
      expect((listed['serviceAccounts'] as Json[]).map((one) => one['name'])).to.include(
        'sa-robot',
      );
      expect(listed).to.not.have.property('users');
    });

    it('are restricted to workspaces, and told so elsewhere', async () => {
      const { home, stranger } = people;
      const { body: made } = await admin('/service-accounts', { name: freshName('ci') });
      const [name, key] = [String(made['name']), String(made['apiKey'])];

      const { body: changed } = await admin(
        `/service-accounts/${name}`,
        {
          restricted: true,
          workspaceNames: [home.workspace],
          defaultWorkspaceName: home.workspace,
        },
        'PUT',
      );

      expect([changed['restricted'], changed['defaultWorkspaceName']]).to.deep.equal([
        true,
        home.workspace,
      ]);
      expect((await write(key, '/experiment/create', {})).body['workspaceName']).to.equal(
        home.workspace,
      );
      expect(
        (await write(key, '/experiment/create', { workspaceName: stranger.workspace })).body,
      ).to.deep.include({ code: 403, sdk_error_code: 7000023 });
      expect((await admin(`/service-accounts/${name}`, undefined, 'DELETE')).status).to.equal(200);
      expect((await ask(key, '/api/rest/v2/account-details')).status).to.equal(401);
    });
  });

  describe('administration', () => {
    it('finds users, renames them, suspends them and ends them', async () => {
      const { userName, apiKey, workspaceName } = await newUser({
        email: `${freshName('ann')}@example.org`,
      });
      const renamed = freshName('renamed');

      expect(
        (await admin(`/users?search=${userName.toUpperCase()}`)).body['accounts'],
      ).to.have.length(1);
      expect(
        (await admin('/change-user-name', { oldUserName: userName, newUserName: renamed })).status,
      ).to.equal(200);
      expect((await ask(apiKey, '/api/rest/v2/account-details')).body).to.deep.equal({
        userName: renamed,
        defaultWorkspaceName: workspaceName,
      });
      await admin(`/users/${renamed}`, { suspended: true }, 'PUT');
      expect((await ask(apiKey, '/api/rest/v2/account-details')).status).to.equal(401);
      await admin(`/users/${renamed}`, { suspended: false }, 'PUT');
      expect((await ask(apiKey, '/api/rest/v2/account-details')).status).to.equal(200);
      expect((await admin(`/users/${renamed}`, undefined, 'DELETE')).status).to.equal(200);
      expect((await ask(apiKey, '/api/rest/v2/account-details')).status).to.equal(401);
      expect(
        (await admin('/users', { userName: renamed })).status,
        'the name of who logged is not given again',
      ).to.equal(400);
    });

    it('keeps an administrator', async () => {
      expect(
        (await admin(`/users/${administrator}`, { admin: false }, 'PUT')).body['message'],
      ).to.equal('this is the last administrator of the installation');
      expect((await admin(`/users/${administrator}`, { suspended: true }, 'PUT')).status).to.equal(
        400,
      );
      expect((await admin(`/users/${administrator}`, undefined, 'DELETE')).status).to.equal(400);
    });

    it('lists, renames and deletes workspaces, but none that holds something', async () => {
      const { apiKey, workspaceName } = await newUser();
      const next = freshName('next');
      await write(apiKey, '/project/create', { workspaceName, projectName: 'p' });

      expect(
        (await admin('/workspace/rename', { workspaceName, newWorkspaceName: next })).status,
      ).to.equal(200);
      expect((await admin(`/workspaces?search=${next}`)).body['workspaces']).to.have.length(1);
      expect((await admin('/workspace/delete', { workspaceName: next })).body['message']).to.equal(
        `workspace ${next} still holds projects, artifacts or registered models; delete or move them first`,
      );
      await write(apiKey, '/project/delete', {
        workspaceName: next,
        projectName: 'p',
        deleteAllExperiments: true,
      });
      expect((await admin('/workspace/delete', { workspaceName: next })).status).to.equal(200);
      expect(await workspaces(apiKey)).to.deep.equal([]);
    });

    it('says a refusal under both names', async () => {
      const { body } = await ask(people.home.apiKey, '/api/admin/users');

      expect([body['msg'], body['message']]).to.deep.equal([
        'only an administrator of the installation may do this',
        'only an administrator of the installation may do this',
      ]);
    });

    it('looks after the installation as commands do', async () => {
      const schema = (await admin('/schema')).body['changes'] as Json[]; // the row's reply
      expect(
        schema.filter((one) => one['owner'] === 'core' && one['at'] !== null).length,
      ).to.be.greaterThan(50);
      const { body: checked } = await admin('/check');
      expect([
        checked['ok'],
        (checked['checks'] as Json[]).map((one) => one['fault']).filter((fault) => fault !== null),
      ]).to.deep.equal([true, []]);
      const { body: held } = await admin('/audit-blobs', { fix: false });
      expect([held['found'], held['removed'], held['findings']]).to.deep.equal([0, 0, []]);
      const exported = await fetch(`${server.url}/api/admin/export?withoutBytes=true`, {
        headers: { authorization: server.apiKey },
      });
      const archive = Buffer.from(await exported.arrayBuffer());
      expect([
        exported.status,
        exported.headers.get('content-type'),
        archive.subarray(0, 2).toString(),
      ]).to.deep.equal([200, 'application/zip', 'PK']);
      expect(archive.length).to.be.greaterThan(1000);
    });

    it('is done by command too, and written down as such', async () => {
      const userName = freshName('typed');
      const call = async (...words: readonly string[]) =>
        JSON.parse(
          (
            await run(process.execPath, [cli, 'call', ...words], {
              env: { PATH: process.env['PATH'], ...server.settings },
            })
          ).stdout,
        ) as Json; // an operation's reply

      const made = await call('createUser', JSON.stringify({ userName }));
      expect(
        (await ask(String(made['apiKey']), '/api/rest/v2/account-details')).body['userName'],
      ).to.equal(userName);
      const found = await call('listAudit', JSON.stringify({ action: 'createUser', size: 1 }));
      expect((found['entries'] as Json[])[0]).to.deep.include({
        via: 'command',
        action: 'createUser',
        outcome: 'done',
        actor: administrator,
      });
      const refusal = await call('createUser', JSON.stringify({ userName })).catch(
        (thrown: { stderr: string }) => thrown.stderr,
      );
      expect(refusal).to.equal(`orrery: user ${userName} exists already\n`);
    });
  });

  describe('reports', () => {
    it('tell of users and workspaces what each has stored', async () => {
      const { apiKey, userName, workspaceName } = await newUser({
        email: `${freshName('bob')}@example.org`,
      });
      const { body: run } = await write(apiKey, '/experiment/create', {
        workspaceName,
        projectName: 'p',
      });
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(1024 * 1024)]), 'a.bin');
      expect(
        (
          await fetch(
            `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${String(run['experimentKey'])}&fileName=a.bin`,
            { method: 'POST', headers: { authorization: apiKey }, body: form },
          )
        ).status,
      ).to.equal(200);
      await ask(apiKey, '/clientlib/notify/event', { event_name: 'nested_parameters_logged' });
      await ask(apiKey, '/clientlib/notify/event', {
        event_name: 'sdk_file_uploaded_failed',
        experiment_key: 'a'.repeat(32),
      });
      await ask(apiKey, '/clientlib/notify/event', { event_name: 'sdk_something_else' });

      const { body } = await admin('/chargeback/report');

      const { licensedUsers, numberOfUsers, organizationId } = body['users'] as {
        licensedUsers: Json[];
        numberOfUsers: number;
        organizationId: string;
      }; // the contract's shape
      expect(licensedUsers.find((one) => one['username'] === userName)).to.deep.include({
        experimentCount: 1,
        dataLoggedMb: 1,
        sdkUsageCount: 2,
        suspended: false,
        deletedAt: null,
        opikSpanCount: 0,
        opikLastUsedAt: null,
      });
      expect([body['numberOfUsers'], body['organizationId']]).to.deep.equal([
        numberOfUsers,
        organizationId,
      ]);
      const workspace = (body['workspaces'] as Json[]).find((one) => one['name'] === workspaceName);
      expect(workspace).to.deep.include({
        numberOfMembers: 1,
        numberOfExperiments: 1,
        totalSizeInMb: 1,
        projects: [{ name: 'p', numberOfExperiments: 1, totalSizeInMb: 1 }],
      });
      expect(
        ((await admin('/generate-license-report')).body['licensedUsers'] as Json[]).map(
          (one) => one['username'],
        ),
      ).to.include(userName);
      const { rows: usage } = (await admin('/usage/report?units=day')).body as { rows: Json[] }; // the contract's shape
      expect(usage.find((one) => one['user'] === userName)).to.deep.include({
        workspace: workspaceName,
        experiments: 1,
        dataMb: 1,
        period: new Date().toISOString().slice(0, 10),
      });
    });

    it('count a run that was deleted, and its hours on GPUs, as before', async () => {
      const { apiKey, userName, workspaceName } = await newUser();
      const {
        body: { experimentKey },
      } = await write(apiKey, '/experiment/create', { workspaceName, projectName: 'p' });
      const gpu = (gpuIndex: number) => ({
        gpuIndex,
        name: 'A100',
        uuid: `GPU-${gpuIndex}`,
        totalMemory: 80_000,
        powerLimit: 400,
      });
      await write(apiKey, '/experiment/system-details', {
        experimentKey,
        gpuStaticInfoList: [gpu(0), gpu(1)],
      });
      await write(apiKey, '/experiment/system-details', {
        experimentKey,
        hostname: 'sent alone, it leaves the GPUs as they are',
      });
      await write(apiKey, '/experiment/set-start-end-time', {
        experimentKey,
        startTimeMillis: 1_000_000,
        endTimeMillis: 1_000_000 + 3 * 3_600_000,
      });
      const told = async () => {
        const { rows } = (await admin('/usage/report?units=day')).body as { rows: Json[] }; // the contract's shape
        const { workspaces, users } = (await admin('/chargeback/report')).body as {
          workspaces: Json[];
          users: { licensedUsers: Json[] };
        }; // the contract's shape
        const run = rows.find((one) => one['user'] === userName);
        return [
          run?.['experiments'],
          run?.['runningHours'],
          run?.['gpuHours'],
          workspaces.find((one) => one['name'] === workspaceName)?.['numberOfExperiments'],
          users.licensedUsers.find((one) => one['username'] === userName)?.['experimentCount'],
        ];
      };
      expect(await told()).to.deep.equal([1, 3, 6, 1, 1]);

      expect(
        (
          await fetch(
            `${server.url}/api/rest/v2/write/experiment/delete?experimentKey=${String(experimentKey)}`,
            { headers: { authorization: apiKey } },
          )
        ).status,
      ).to.equal(200);

      expect(await told()).to.deep.equal([1, 3, 6, 1, 1]);
    });

    it('count a workspace that was deleted as one', async () => {
      const { apiKey, userName } = await newUser();
      const workspaceName = freshName('gone');
      await write(apiKey, '/workspace/new', { name: workspaceName });
      const made = await write(apiKey, '/experiment/create', { workspaceName, projectName: 'p' });
      expect(made.status).to.equal(200);
      expect(
        (await admin('/workspace/delete', { workspaceName, withContents: true })).status,
      ).to.equal(200);

      const { rows } = (await admin('/usage/report?units=day')).body as { rows: Json[] }; // the contract's shape
      const { workspaces } = (await admin('/chargeback/report')).body as { workspaces: Json[] }; // the contract's shape

      const name = rows.find((one) => one['user'] === userName)?.['workspace'];
      expect(name).to.match(/^\(deleted [0-9a-f-]{36}\)$/);
      expect(workspaces.find((one) => one['name'] === name)).to.deep.include({
        numberOfExperiments: 1,
        numberOfMembers: 0,
        members: [],
        projects: [],
      });
    });

    it('come as CSV, in which no cell is a formula', async () => {
      const { userName } = await newUser({ email: `=${freshName('cmd')}@example.org` });

      const reply = await fetch(`${server.url}/api/admin/chargeback/report?format=csv&part=users`, {
        headers: { authorization: server.apiKey },
      });

      const line = (await reply.text()).split('\r\n').find((one) => one.startsWith(userName));
      expect([reply.headers.get('content-type'), line?.split(',')[1]?.slice(0, 2)]).to.deep.equal([
        'text/csv; charset=utf-8',
        "'=",
      ]);
    });

    it('are of a month that has been, without what came later', async () => {
      const { body } = await admin('/chargeback/report?reportMonth=2020-01');

      expect([body['reportDate'], body['numberOfUsers'], body['workspaces']]).to.deep.equal([
        '2020-01',
        0,
        [],
      ]);
      expect((await admin('/chargeback/report?reportMonth=2020-13')).status).to.equal(400);
    });
  });

  describe('the log of what was done', () => {
    interface Entry extends Json {
      readonly at: number;
      readonly action: string;
    }
    const entries = async (query: string) =>
      (await admin(`/audit?${query}`)).body['entries'] as Entry[]; // the row's reply

    it('has who did what to which thing, from where, through which key', async () => {
      const { home } = people;
      const { userName } = await newUser();
      await write(home.apiKey, '/add-workspace-member', {
        workspaceName: home.workspace,
        userName,
      });

      const [entry] = await entries(`actor=${home.name}&size=1`);

      expect(entry).to.deep.include({
        actor: home.name,
        via: 'key',
        action: 'addMember',
        outcome: 'done',
        address: '127.0.0.1',
      });
      expect([
        (entry?.['thing'] as Json)['name'],
        (entry?.['detail'] as Json)['userName'],
      ]).to.deep.equal([home.workspace, userName]);
      expect(String(entry?.['keyId'])).to.match(/^[0-9a-f-]{36}$/);
    });

    it('has the ids of what was deleted, and its workspace', async () => {
      const { home } = people;
      const id = '019d0000-0000-7000-8000-0123456789ab';
      for (const [path, body, method] of [
        [`/v1/private/projects/${id}`, undefined, 'DELETE'],
        ['/v1/private/datasets/delete-batch', { ids: [id] }, 'POST'],
      ] as const) {
        const { status } = await fetch(server.url + path, {
          method,
          headers: { authorization: home.apiKey, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        expect(status, path).to.equal(204);
      }

      const [batch, single] = await entries(
        `actor=${home.name}&workspaceName=${home.workspace}&size=2`,
      );
      expect([single?.action, (single?.['detail'] as Json)['id']]).to.deep.equal([
        'removeProject',
        id,
      ]);
      expect([batch?.action, (batch?.['detail'] as Json)['ids']]).to.deep.equal([
        'deleteDatasets',
        [id],
      ]);
    });

    it('has what was refused, with the reason', async () => {
      const { home } = people;
      await write(home.apiKey, '/workspace/member/remove', {
        workspaceName: home.workspace,
        userName: home.name,
      });

      const [entry] = await entries(`actor=${home.name}&size=1`);

      expect([
        entry?.action,
        entry?.['outcome'],
        (entry?.['detail'] as Json)['reason'],
      ]).to.deep.equal([
        'removeMember',
        'refused',
        `${home.name} is the last administrator of the workspace`,
      ]);
    });

    it('has statuses of registered models that were set, requested and withdrawn', async () => {
      const { home } = people;
      const world = await makeWorld(server.url, home, { supplies: people.supplies, slow: false });
      const post = (path: string, body: unknown) =>
        write(home.apiKey, `/registry-model/${path}`, body);
      const asked = await post('item/status-request', {
        modelItemId: world.of(models).modelVersionId,
        status: 'QA',
      });
      await post(`status-request/${String(asked.body['requestId'])}/cancel`, {});
      await post('item/status', {
        modelItemId: world.of(models).modelVersionId,
        status: 'Staging',
      });

      const found = await entries(`actor=${home.name}&size=3`);

      expect(found.map(({ action, outcome }) => [action, outcome])).to.deep.equal([
        ['setModelStatus', 'done'],
        ['cancelStatusRequest', 'done'],
        ['requestModelStatus', 'done'],
      ]);
      expect((found[0]?.['detail'] as Json)['status']).to.equal('Staging');
    });

    it('has what the gate refused', async () => {
      const { home, member } = people;
      await write(member.apiKey, '/workspace/member/remove', {
        workspaceName: home.workspace,
        userName: home.name,
      });

      const [entry] = await entries(`actor=${member.name}&size=1`);

      expect([
        entry?.action,
        entry?.['outcome'],
        (entry?.['detail'] as Json)['reason'],
      ]).to.deep.equal([
        'removeMember',
        'refused',
        'only an administrator of the workspace may do this',
      ]);
    });

    it('is read by time and by thing, page by page, and exported', async () => {
      const { apiKey, workspaceName, userName } = await newUser();
      const from = Date.now();
      const { body: project } = await write(apiKey, '/project/create', {
        workspaceName,
        projectName: 'p',
      });
      for (const isPublic of [true, false])
        await write(apiKey, '/project/update', { projectId: project['projectId'], isPublic });
      await write(apiKey, '/project/delete', {
        projectId: project['projectId'],
        deleteAllExperiments: true,
      });

      const all = await entries(`thing=${String(project['projectId'])}&from=${from}`);
      expect(all.map(({ action }) => action)).to.deep.equal([
        'deleteProject',
        'updateProject',
        'updateProject',
      ]);
      const [first, second] = [
        (await admin(`/audit?thing=${String(project['projectId'])}&size=2`)).body,
        all,
      ];
      const rest = (
        await admin(
          `/audit?thing=${String(project['projectId'])}&after=${encodeURIComponent(String(first['next']))}`,
        )
      ).body;
      expect([...(first['entries'] as Json[]), ...(rest['entries'] as Json[])]).to.deep.equal(
        second,
      );
      expect(rest['next']).to.equal(null);
      const exported = await fetch(`${server.url}/api/admin/audit/export?actor=${userName}`, {
        headers: { authorization: server.apiKey },
      });
      expect([exported.status, exported.headers.get('content-type')]).to.deep.equal([
        200,
        'text/csv; charset=utf-8',
      ]);
      const lines = (await exported.text()).trimEnd().split('\r\n');
      expect(lines).to.have.length(4);
      expect(lines[0]).to.equal(
        'at,actor,via,keyId,address,action,thingKind,thingId,thingName,workspaceId,outcome,detail',
      );
    });

    it('is for administrators of the installation', async () => {
      expect((await ask(people.home.apiKey, '/api/admin/audit')).status).to.equal(403);
    });

    it('holds no secret', async () => {
      const { apiKey, userName } = await newUser({ password: 'Tulip-ocean-97-wq' });
      await admin(
        '/reset-password',
        { username: userName, newPassword: 'Marble-river-41-kz' },
        'PUT',
      );
      const { body: made } = await ask(apiKey, '/api/auth/keys', { name: 'k' });

      const text = JSON.stringify((await admin('/audit?size=1000')).body);

      for (const secret of [
        neverStored('Tulip-ocean-97-wq'),
        neverStored('Marble-river-41-kz'),
        neverStored(String(made['apiKey'])).split('*')[0] ?? '',
        apiKey.split('*')[0] ?? '',
      ])
        expect(text).to.not.include(secret);
    });

    it('is asked for by every row that changes rights, keys or settings, or deletes', () => {
      const should =
        /^(delete|remove|revoke|rotate|issue|change|create(User|Key|ServiceAccount|Workspace|Channel)|update(User|ServiceAccount|Webhooks|StatusConfiguration|Channel)|set(Member|WorkspaceOwner|ProjectOwner|Statuses)|add(Member|UserToTeam|ShareLink)|end|reset|rename|move)/;

      // A program renews its tokens every hour; what is written down is the consent they go back to, and the end of what came of it.
      const notedByConsent = ['issueToken', 'revokeToken'];
      // Strangers may ask it, so its handler writes down what the provider's signature proved.
      const notedOnceProved = ['endByProvider'];

      expect(
        rows
          .filter(({ id, operation }) => should.test(id) && operation.audit !== true)
          .map(({ id }) => id),
      ).to.have.members([...notedByConsent, ...notedOnceProved]);
    });
  });
});
