import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { projectUsageOperations } from '#ports/api/project-usage';
import { Clock } from '#ports/clock';
import type { Project } from '#ports/model/projects';
import type { ProjectUsage } from '#ports/storage/usage';
import { storageOf } from '#ports/storage/storage';
import { experimentSettings } from '../experiments/settings.js';

/** How long the figures of a project are remembered, in ms: they are sums over all of its runs. */
const rememberMs = 15_000;
const most = 1000;

interface Known {
  readonly at: number;
  readonly usage: Promise<ProjectUsage>;
  /** Of the workspace. */
  readonly bytes: Promise<number>;
}

export const projectUsageArea = area({
  name: 'project-usage',
  summary: 'What a project holds.',
  family: privateFamily,
  table: projectUsageOperations,
  needs: {
    storage: storageOf('usage', 'workspaces'),
    clock: Clock,
    settings: experimentSettings.port,
  },
  handlers: ({ storage: { stores }, clock, settings }) => {
    const known = new Map<string, Known>();
    /** Pages that ask at the same time are answered by one reading. */
    const readUsage = ({ id: projectId, workspaceId }: Project): Known => {
      const found = known.get(projectId);
      if (found !== undefined && found.at > clock.now() - rememberMs) return found;
      const read: Known = {
        at: clock.now(),
        usage: stores.usage.ofProject(projectId),
        bytes: stores.workspaces.figures(workspaceId).then((figures) => figures.bytes),
      };
      for (const figure of [read.usage, read.bytes])
        figure.catch(() => {
          if (known.get(projectId) === read) known.delete(projectId);
        });
      if (known.size >= most) known.clear();
      known.set(projectId, read);
      return read;
    };
    return {
      async getProjectUsage({ project }) {
        const { at, usage, bytes } = readUsage(project);
        const [figures, workspace, workspaceBytes] = await Promise.all([
          usage,
          stores.workspaces.findById(project.workspaceId),
          bytes,
        ]);
        const limit =
          project.kind === 'em'
            ? settings.EXPERIMENTS_IN_EM_PROJECT_LIMIT
            : settings.EXPERIMENTS_IN_LLM_PROJECT_LIMIT;
        return {
          ...figures,
          workspaceBytes,
          workspaceBytesLimit: workspace?.storageLimit ?? null,
          runsLimit: limit === 0 ? null : limit,
          asOf: at,
        };
      },
    };
  },
});
