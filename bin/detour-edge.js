#!/usr/bin/env node
// Runs the sources in a checkout, which needs Node.js 24, and the bundle in the packed package.
import { existsSync } from 'node:fs';

const sources = new URL('../src/edge-agent.ts', import.meta.url);
await import(existsSync(sources) ? sources.href : new URL('../dist/edge-agent/detour-edge.js', import.meta.url).href);
