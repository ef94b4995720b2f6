// `orrery demo`: fills a workspace with what looks real, over the public API, for whoever wants to look around before logging anything.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Failure } from '#ports/failure';
import { knownAddress } from '../data-folder.js';
import { api, openClient, type DemoClient } from '../demo/client.js';
import { besideProject, fewestRuns, fillDemo } from '../demo/fill.js';
import { withFile } from '../file-faults.js';
import type { Output } from '../output.js';
import { readSettings } from './shared.js';

export interface DemoOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly workspace?: string;
  readonly project: string;
  readonly runs: string;
  /** The folder of a server that is started for the demo. */
  readonly serve?: string;
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string | undefined;
}

const mostRuns = 5000;

const requireCount = (text: string): number => {
  const count = Number(text);
  if (!Number.isInteger(count) || count < fewestRuns || count > mostRuns)
    throw new Failure('invalid', `--runs must be a whole number from ${fewestRuns} to ${mostRuns}`);
  return count;
};

/** The address that stands behind the star in a key; `undefined` where there is none. */
const addressIn = (apiKey: string): string | undefined => {
  try {
    const told = JSON.parse(Buffer.from(apiKey.split('*')[1] ?? '', 'base64').toString()) as {
      readonly baseUrl?: unknown;
    }; // checked below
    return typeof told.baseUrl === 'string' ? told.baseUrl : undefined;
  } catch {
    return undefined;
  }
};

const requireTarget = ({ url, apiKey, workspace }: DemoOptions): Target => {
  const { COMET_API_KEY, COMET_URL_OVERRIDE, COMET_WORKSPACE } = process.env;
  const key = apiKey ?? COMET_API_KEY ?? '';
  if (key === '')
    throw new Failure(
      'unauthenticated',
      'the demo needs an API key: paste the lines that the first start of the server printed (COMET_API_KEY), pass --api-key, or let --serve FOLDER start a server of its own',
    );
  const at = url ?? COMET_URL_OVERRIDE ?? addressIn(key) ?? knownAddress(readSettings()) ?? '';
  if (!/^https?:\/\//.test(at) || !URL.canParse(at))
    throw new Failure('invalid', 'the demo needs the address of the server: pass --url http://…');
  return {
    url: at.replace(/(?:\/clientlib)?\/?$/, ''),
    apiKey: key,
    workspace: workspace ?? COMET_WORKSPACE,
  };
};

/** The workspace that is filled. Rejects where the key is unknown, or the workspace is not one of its. */
const requireWorkspace = async (client: DemoClient, wanted?: string): Promise<string> => {
  const account = await client.ask('GET', `${api}/account-details`).catch((cause: unknown) => {
    if (!(cause instanceof Error) || !/answered 40[013]/.test(cause.message)) throw cause;
    throw new Failure('unauthenticated', `the server at ${client.url} does not know this API key`, {
      cause,
    });
  });
  const { workspaceNames } = await client.ask('GET', `${api}/workspaces`);
  const names = Array.isArray(workspaceNames) ? workspaceNames.map(String) : [];
  const name = wanted ?? String(account['defaultWorkspaceName'] ?? names[0] ?? '');
  if (!names.includes(name))
    throw new Failure(
      'absent',
      `this key's user is in no workspace ${name.slice(0, 60)}; there are ${names.join(', ') || 'none'}`,
    );
  return name;
};

/** Makes the projects of the demo. Rejects with `conflict` where one has such a name already: nothing that somebody logged is mixed with the demo. */
const makeProjects = async (client: DemoClient, workspace: string, project: string) => {
  const query = new URLSearchParams({ workspaceName: workspace }).toString();
  const { projects } = await client.ask('GET', `${api}/projects?${query}`);
  const taken = (Array.isArray(projects) ? projects : []).map((one: unknown) =>
    String((one as { readonly projectName?: unknown }).projectName),
  ); // a list of objects, as the row says
  const { data, assistant, judged } = besideProject(project);
  const found = [project, data, assistant, judged].find((one) => taken.includes(one));
  if (found !== undefined)
    throw new Failure(
      'conflict',
      `the workspace ${workspace} has a project ${found} already: name another by --project`,
    );
  for (const [projectName, projectDescription] of [
    [project, 'Classifiers of street scenes; a demo'],
    [data, 'Where their images come from, and how they are judged; a demo'],
    [assistant, 'An assistant that answers people about the streets; a demo'],
    [judged, 'Experiments that judge the assistant; a demo'],
  ])
    await client.ask('POST', `${api}/write/project/create`, {
      workspaceName: workspace,
      projectName,
      projectDescription,
    });
};

interface OwnServer extends Target {
  readonly user: string;
  readonly password: string;
  readonly child: ChildProcess;
}

/** Starts a server over an empty folder. Rejects with `conflict` where something is in it. */
const startServer = async (folder: string): Promise<OwnServer> => {
  if (existsSync(folder) && (await withFile('read', folder, () => readdir(folder))).length > 0)
    throw new Failure('conflict', `${folder} is not empty: --serve wants an empty or a new folder`);
  const { ORRERY_ADMIN_API_KEY: _key, ORRERY_ADMIN_PASSWORD: _password, ...rest } = process.env;
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'serve', '--json'], {
    env: {
      ORRERY_LOG_LEVEL: 'warn',
      ...rest,
      ORRERY_DATA: folder,
      ORRERY_STORAGE: 'embedded',
      ORRERY_BLOB: 'filesystem',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Failure('unavailable', 'the server did not start; its own words stand above');
  });
  const told = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{"url"')) continue;
      return JSON.parse(line) as {
        url: string;
        administrator: { user: string; workspace: string; apiKey: string; password: string };
      }; // what `serve --json` prints over an empty folder
    }
    return ended;
  })();
  const { url, administrator } = await Promise.race([told, ended]);
  ended.catch(() => undefined); // an end from now on is waited for elsewhere
  return { url, child, ...administrator };
};

const fill = async (target: Target, options: DemoOptions, count: number, output: Output) => {
  const workspace = await requireWorkspace(openClient(target.url, target.apiKey), target.workspace);
  const client = openClient(target.url, target.apiKey, workspace);
  await makeProjects(client, workspace, options.project);
  const where = { workspace, project: options.project, now: Date.now() };
  const { models } = await fillDemo(client, where, {
    count,
    progress: (done) => {
      if (done % 60 === 0 || done === count) output.note(`${done} of ${count} runs`);
    },
  });
  const address = `${target.url}/w/${encodeURIComponent(workspace)}/p/${encodeURIComponent(options.project)}`;
  output.line(`Open ${address}`);
  return {
    url: address,
    workspace,
    project: options.project,
    ...{ assistant: besideProject(options.project).assistant, runs: count, models },
  };
};

/** Serves on until a signal; the server ends as it does by itself. */
const serveOn = async ({ child }: OwnServer): Promise<void> => {
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.once('SIGTERM', pass).once('SIGINT', pass);
  if (child.exitCode === null) await once(child, 'exit');
};

export const fillWithDemo = async (options: DemoOptions, output: Output): Promise<void> => {
  const count = requireCount(options.runs);
  if (options.serve === undefined) {
    output.json(await fill(requireTarget(options), options, count, output));
    return;
  }
  const folder = resolve(options.serve);
  output.note(`starting a server of its own over ${folder}`);
  const server = await startServer(folder);
  try {
    const filled = await fill(server, options, count, output);
    const { user, password } = server;
    output.line(`  user       ${user}\n  password   ${password}\n  data       ${folder}`);
    output.line('Ctrl-C ends it; later: ORRERY_DATA set to that folder, and npm start');
    output.json({ ...filled, user, password, apiKey: server.apiKey, data: folder });
    await serveOn(server);
  } catch (thrown) {
    server.child.kill('SIGTERM');
    await serveOn(server);
    throw thrown;
  }
};
