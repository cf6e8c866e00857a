#!/usr/bin/env node
// Runs the sources in a checkout, which needs Node.js 24, and the bundle in the packed package.
import { existsSync } from 'node:fs';

const sources = new URL('../src/cli.ts', import.meta.url);
await import(existsSync(sources) ? sources.href : new URL('../dist/cli/detour.js', import.meta.url).href);
