// What a new project starts as: examples/<framework>-<template>.
import type { Framework } from '../frameworks.ts';

export const templateNames = [
  'greeter',
  'chat',
  'desk',
  'refunds',
  'tools',
  'as-user',
  'knowledge',
  'research',
] as const;
export type Template = (typeof templateNames)[number];

/** The frameworks of each. */
export const templates: Readonly<Record<Template, readonly Framework[]>> = {
  greeter: ['langgraph', 'crewai'],
  chat: ['langgraph'],
  desk: ['langgraph'],
  refunds: ['langgraph'],
  tools: ['langgraph'],
  'as-user': ['langgraph'],
  knowledge: ['langgraph'],
  research: ['crewai'],
};

/** Whether its agent calls a model. */
export const callsModel = (template: Template): boolean => template === 'chat' || template === 'research';
