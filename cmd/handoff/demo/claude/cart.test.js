import test from 'node:test';
import assert from 'node:assert';
import { total } from './cart.js';

test('total', () => assert.equal(total([{ cents: 250, count: 2 }]), 500));
test('SUMMER15', () => assert.equal(total([{ cents: 333, count: 1 }], 15), 283));
