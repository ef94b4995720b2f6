import type { Area } from '#ports/api/area';
import { accountsArea } from './accounts/accounts.js';
import { administrationArea } from './administration/administration.js';
import { directoryArea } from './administration/directory.js';
import { installationArea } from './administration/installation.js';
import { queuesArea } from './administration/queues.js';
import { reportsArea } from './administration/reports.js';
import { rightsArea } from './rights/rights.js';
import { artifactsArea } from './artifacts/artifacts.js';
import { auditArea } from './audit/reading.js';
import { assetsArea } from './assets/assets.js';
import { weblinksArea } from './assets/weblinks.js';
import { checksArea } from './checks/checks.js';
import { experimentsArea } from './experiments/experiments.js';
import { identityArea } from './identity/identity.js';
import { pagesArea } from './identity/pages.js';
import { liveArea } from './live/live.js';
import { metricsArea } from './metrics/metrics.js';
import { promptsArea } from './prompts/prompts.js';
import { optimizerArea } from './optimizer/optimizer.js';
import { consentArea } from './oauth/consent.js';
import { oauthArea } from './oauth/oauth.js';
import { programAdministrationArea, programsArea } from './oauth/programs.js';
import { panelsArea } from './panels/panels.js';
import { approvalsArea } from './registry/approvals.js';
import { registryArea } from './registry/registry.js';
import { rpcArea } from './rpc/rpc.js';
import { searchArea } from './search/search.js';
import { systemArea } from './system/system.js';
import { textsArea } from './texts/texts.js';
import { valuesArea } from './values/values.js';
import { channelsArea } from './webhooks/channels.js';
import { webhooksArea } from './webhooks/webhooks.js';

/** What is not there where programs are given no tokens. */
export const oauthAreas: readonly Area[] = [oauthArea, consentArea];

/** Every area of the product. The busiest comes first, since its routes are looked at first; links come last, since their paths are the widest. */
export const areas: readonly Area[] = [
  metricsArea,
  valuesArea,
  liveArea,
  textsArea,
  experimentsArea,
  searchArea,
  rpcArea,
  panelsArea,
  optimizerArea,
  promptsArea,
  systemArea,
  accountsArea,
  rightsArea,
  administrationArea,
  identityArea,
  pagesArea,
  directoryArea,
  programsArea,
  programAdministrationArea,
  reportsArea,
  installationArea,
  queuesArea,
  auditArea,
  artifactsArea,
  assetsArea,
  registryArea,
  approvalsArea,
  webhooksArea,
  channelsArea,
  oauthArea,
  consentArea,
  checksArea,
  weblinksArea,
];
