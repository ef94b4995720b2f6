import type { ChatModels } from '#ports/chat-model';
import { anthropicWire } from './anthropic.js';
import { geminiWire } from './gemini.js';
import { httpModel, type HttpModelNeeds } from './http-model.js';
import { openaiWire } from './openai.js';

/** A model for each wire that the product knows. */
export const httpChatModels = (needs: HttpModelNeeds): ChatModels => {
  const models = {
    openai: httpModel(openaiWire, needs),
    anthropic: httpModel(anthropicWire, needs),
    gemini: httpModel(geminiWire, needs),
  };
  return { find: (wire) => models[wire] };
};
