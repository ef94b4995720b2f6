// One's own API keys: made and replaced (the secret is shown once), narrowed, revoked.
import { useState } from 'preact/hooks';
import { formatAgo } from '../../pure/format.js';
import { useLoaded, useStored } from '../loading.js';
import { session } from '../request.js';
import { server } from '../server.js';
import { ownServer } from '../settings-server.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';
import { Fault } from '../shell/wait.js';

type Key = Awaited<ReturnType<typeof ownServer.listKeys>>['keys'][number];

/** Workspaces that are looked through for the name of one that a key is narrowed to. */
const mostLookedThrough = 30;

/** Names of what keys are narrowed to, by id. */
const namesOf = async (
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  if (!keys.some(({ scope }) => typeof scope?.workspaceId === 'string')) return new Map();
  const { workspaceNames } = await server.listWorkspaces({}, signal);
  const found = await Promise.all(
    workspaceNames
      .slice(0, mostLookedThrough)
      .map((workspaceName) => server.listProjects({ query: { workspaceName } }, signal)),
  );
  return new Map(
    found.flatMap(({ projects }) =>
      projects.flatMap((one) => [
        [one.workspaceId, one.workspaceName] as const,
        [one.projectId, `${one.workspaceName} / ${one.projectName}`] as const,
      ]),
    ),
  );
};

const saysReach = ({ scope }: Key, names: ReadonlyMap<string, string>): string => {
  const place = scope?.projectId ?? scope?.workspaceId ?? undefined;
  const where =
    place === undefined
      ? 'all that you may'
      : (names.get(place) ??
        `one ${typeof scope?.projectId === 'string' ? 'project' : 'workspace'}`);
  return `${where}, ${scope?.readOnly === true ? 'reads only' : 'reads and writes'}`;
};

const Make = ({ onMade }: { onMade: (secret: Secret) => void }) => {
  const [workspace, setWorkspace] = useState('');
  const listed = useLoaded((signal) => server.listWorkspaces({}, signal), []);
  const names = listed.value?.workspaceNames;
  const { value: projects, fault } = useLoaded(
    async (signal) =>
      workspace === ''
        ? []
        : (await server.listProjects({ query: { workspaceName: workspace } }, signal)).projects,
    [workspace],
  );
  const make = async (field: Fields) => {
    const name = field('name');
    const project = field('project');
    const made = await ownServer.createKey({
      body: {
        name,
        readOnly: field('may') === 'read',
        ...(workspace === '' ? {} : { workspaceName: workspace }),
        ...(project === '' ? {} : { projectId: project }),
      },
    });
    setWorkspace('');
    onMade({ what: `The key ${name}`, text: made.apiKey });
  };
  return (
    <Form label="Make a key" verb="Make a key" onSend={make}>
      <input name="name" required maxLength={100} aria-label="Name" placeholder="what it is for" />
      <select name="may" aria-label="What it may">
        <option value="write">reads and writes</option>
        <option value="read">reads only</option>
      </select>
      <select
        aria-label="Workspace it reaches"
        value={workspace}
        onChange={({ currentTarget }) => setWorkspace(currentTarget.value)}
      >
        <option value="">every workspace</option>
        {names?.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {workspace === '' ? null : (
        <select name="project" aria-label="Project it reaches">
          <option value="">every project of it</option>
          {projects?.map((one) => (
            <option key={one.projectId} value={one.projectId}>
              {one.projectName}
            </option>
          ))}
        </select>
      )}
      <Fault of={listed.fault ?? fault} />
    </Form>
  );
};

export const Keys = () => {
  const [secret, setSecret] = useState<Secret>();
  const { value, fault, again } = useStored(async (signal) => {
    const { keys } = await ownServer.listKeys({}, signal);
    const known = keys.filter(({ revokedAt }) => revokedAt === null);
    return { known, names: await namesOf(known, signal) };
  }, []);
  const made = (one: Secret) => {
    setSecret(one);
    again();
  };
  const rotate = async ({ keyId, name }: Key) => {
    const { apiKey } = await ownServer.rotateKey({ params: { keyId } });
    made({ what: `The new key ${name}`, text: apiKey });
  };
  return (
    <>
      <p class="said">
        Programs log with a key. A narrowed one does not change who may do what; the server keeps no
        secret that it could show again.
      </p>
      {session.value?.viewOnly === true ? (
        <p class="empty">An account that only reads has no keys.</p>
      ) : (
        <Make onMade={made} />
      )}
      <Once of={secret} onDone={() => setSecret(undefined)} />
      <Rows
        label="API keys"
        of={{ value: value?.known, fault }}
        head={['Name', 'Begins with', 'Reaches', 'Made', 'Used', '']}
        empty="You have no key."
      >
        {(one) => (
          <tr key={one.keyId}>
            <td class="long">{one.name}</td>
            <td>
              <code>{one.prefix}…</code>
            </td>
            <td class="long">{saysReach(one, value?.names ?? new Map())}</td>
            <td>{formatAgo(one.createdAt, Date.now())}</td>
            <td>{one.lastUsedAt === null ? 'never' : formatAgo(one.lastUsedAt, Date.now())}</td>
            <td class="does">
              <Act
                verb="Rotate"
                label={`Rotate the key ${one.name}`}
                warns="Another key of the same name and reach takes its place; the old one is known no more."
                says="Here is the new key"
                onDo={() => rotate(one)}
              />
              <Act
                verb="Revoke"
                label={`Revoke the key ${one.name}`}
                warns="Programs that log with it are refused from now on."
                says="The key is revoked"
                danger
                onDo={() => ownServer.revokeKey({ params: { keyId: one.keyId } }).finally(again)}
              />
            </td>
          </tr>
        )}
      </Rows>
    </>
  );
};
