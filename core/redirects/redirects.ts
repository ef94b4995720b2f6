import { area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { redirectOperations } from '#ports/api/redirects';
import { Failure } from '#ports/failure';
import type { Linked } from '#ports/model/links';
import { Settings } from '#ports/settings';
import { Toggles } from '#ports/toggles';
import { decodeBase64 } from '../private-wire/client-address.js';
import { linkedKinds } from './kinds.js';
import { placeShown } from './places.js';

const hostOf = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.hostname : undefined;
};

interface Request {
  readonly query: { readonly path: string };
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export const redirectsArea = area({
  name: 'redirects',
  summary: 'Links that SDKs of LLM observability print and people open in a browser.',
  family: pageFamily,
  table: redirectOperations,
  kinds: linkedKinds,
  needs: { settings: Settings, toggles: Toggles },
  handlers: ({ settings, toggles }) => {
    /** Refuses a link of another server: nobody may come by one of this server's links to where it is told by the link itself. Ports may differ, as where one is forwarded. */
    const checkPath = ({ query: { path }, headers }: Request): void => {
      const own = [settings.baseUrl, `http://${headers['host'] ?? ''}`].map(hostOf);
      const host = hostOf(decodeBase64(path.trim()) ?? '');
      if (host === undefined || !own.includes(host))
        throw new Failure('invalid', 'path must be base64 of an address of this server');
    };
    const lead = (
      request: Request,
      { workspaceName, project, id }: Linked,
      screen: string,
      inProject: boolean,
    ): string => {
      checkPath(request);
      const place =
        inProject && project !== undefined ? ['p', project.name, screen, id] : [screen, id];
      return placeShown(toggles, project, place, workspaceName);
    };
    return {
      redirectToTrace: async (call) => lead(call, call.linkedTrace, 'trace', true),
      redirectToDataset: async (call) => lead(call, call.linkedDataset, 'datasets', false),
      redirectToEvaluation: async (call) => lead(call, call.linkedEvaluation, 'experiments', false),
      redirectToOptimization: async (call) =>
        lead(call, call.linkedOptimization, 'optimizations', false),
    };
  },
});
