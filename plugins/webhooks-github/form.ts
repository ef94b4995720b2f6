import { Failure } from '#ports/failure';
import type { FormedWebhook, WebhookForm } from '#ports/webhook-forms';
import { checkRepositoryOptions, repositoryBody } from './repository.js';
import { checkWorkflowOptions, workflowBody } from './workflow.js';

type Kind = 'repository' | 'workflow';

/** What an address dispatches; the same on GitHub Enterprise, below `/api/v3`. Refuses with `invalid` an address that dispatches nothing. */
export const kindOf = (url: string): Kind => {
  const path = URL.canParse(url) ? new URL(url).pathname.replace(/^\/api\/v3(?=\/)/, '') : '';
  if (/^\/repos\/[^/]+\/[^/]+\/dispatches\/?$/.test(path)) return 'repository';
  if (/^\/repos\/[^/]+\/[^/]+\/actions\/workflows\/[^/]+\/dispatches\/?$/.test(path))
    return 'workflow';
  throw new Failure(
    'invalid',
    'a webhook with githubActions must go to /repos/{owner}/{repo}/dispatches or /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches',
  );
};

const check = ({ url, options }: FormedWebhook): void => {
  if (kindOf(url) === 'repository') checkRepositoryOptions(options);
  else checkWorkflowOptions(options);
};

const headers = {
  Accept: 'application/vnd.github+json',
  'X-GitHub-Api-Version': '2022-11-28',
} as const;

/** The token comes with the webhook's own `Authorization` header. */
export const githubForm: WebhookForm = {
  name: 'github-actions',
  check,
  write: (payload, { url, options }) => ({
    headers,
    body:
      kindOf(url) === 'repository'
        ? repositoryBody(payload, options)
        : workflowBody(payload, options),
  }),
  // Its secondary limit answers 403 with a time to wait; without one, 403 is a token without the right.
  retries: (status, retryAfter) => status === 403 && retryAfter !== undefined,
};
