import { operations } from './operation.js';
import { flag, integer, list, map, object, shape, text, word } from './schema.js';

export const configurationOperations = operations({
  getConfiguration: {
    method: 'GET',
    path: '/v1/private/ui/config',
    access: { needs: 'public' },
    summary: 'What a page must know before anybody has signed in; nothing of it is secret',
    replies: {
      200: shape('Configuration', 'How this server is set up, as far as its pages need to know.', {
        version: text(),
        baseUrl: text(),
        basePath: text(),
        toggles: map(flag()),
        limits: map(integer()),
        signIn: list(
          object({
            name: text(),
            label: text(),
            kind: word('password', 'redirect', 'headers'),
          }),
        ),
        signUp: text(),
      }),
    },
  },
});
