// Draws a run: one line per finished step with its time, and a redrawn line for the running step. The build's output is hidden unless a
// step fails.
import { deploySteps } from '@gantry/contract/agents/deploy.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { isSlow, type UsualTimes } from '@gantry/contract/agents/usual-times.ts';
import type { Output } from '../output.ts';
import { duration } from '../view/relative-time.ts';
import { bad, faint, good, type Text } from '../view/view.ts';

export interface Drawing {
  draw: (event: RunEvent) => void;
  /** Stops redrawing during a question. */
  pause(): void;
  resume(): void;
  end(): void;
}

interface RunningStep {
  name: string;
  started_at: string;
  seen_at: number;
  log: string[];
}

const shown_log_lines = 50;

/** `steps`: in their order, so that each has its number. */
export function createDrawing(output: Output, usual: UsualTimes = {}, steps: readonly string[] = deploySteps): Drawing {
  const stepLabel = (name: string) => {
    const n = steps.indexOf(name);
    return n < 0 || steps.length === 1 ? name : `${n + 1}/${steps.length} ${name}`;
  };
  let step: RunningStep | undefined;
  let paused = false;
  const held: RunEvent[] = [];
  const redraw = (): void => {
    if (paused || step === undefined) return;
    const elapsed = duration(Date.now() - step.seen_at);
    output.progress([
      faint('… '),
      stepLabel(step.name),
      '  ',
      elapsed,
      faint(slower(usual, step.name, Date.now() - step.seen_at)),
      '  ',
      faint(step.log.at(-1) ?? ''),
    ]);
  };
  const timer = setInterval(redraw, 200);
  timer.unref();

  function startStep(event: RunEvent): void {
    step = { name: event.step ?? '', started_at: event.at, seen_at: Date.now(), log: [] };
    if (output.mode === 'plain') output.note('… ', stepLabel(step.name));
    redraw();
  }

  function endStep(event: RunEvent, sign: Text): void {
    const name = event.step ?? '';
    const took = step?.name === name ? Date.parse(event.at) - Date.parse(step.started_at) : undefined;
    output.progress(undefined);
    output.note(
      sign,
      stepLabel(name),
      '  ',
      took === undefined ? '' : duration(took),
      faint(took === undefined ? '' : slower(usual, name, took)),
      faint(event.message === '' || event.message === name ? '' : `  ${event.message}`),
    );
    if (event.state === 'failed')
      for (const text of (step?.log ?? []).slice(-shown_log_lines)) output.note(faint('    │ '), text);
    step = undefined;
  }

  function drawNow(event: RunEvent): void {
    if (event.kind === 'step' && event.state === 'running') startStep(event);
    else if (event.kind === 'step' && event.state === 'done') endStep(event, good('✓ '));
    else if (event.kind === 'step' && event.state === 'failed' && isCancelled(event))
      endStep({ ...event, state: 'undone', message: 'cancelled' }, faint('– '));
    else if (event.kind === 'step' && event.state === 'failed') endStep(event, bad('✗ '));
    else if (event.kind === 'step' && event.state === 'undone')
      output.note(faint('↶ '), stepLabel(event.step ?? ''), faint('  undone'));
    else if (event.kind === 'log') step?.log.push(...event.message.split('\n').filter((text) => text.trim() !== ''));
    else if (event.kind === 'notice') output.notice(event.message);
    else if (event.kind === 'wait') output.note(faint('… '), event.message);
  }

  return {
    draw(event) {
      output.event(event);
      if (paused) held.push(event);
      else drawNow(event);
    },
    pause() {
      paused = true;
      output.progress(undefined);
    },
    resume() {
      paused = false;
      for (const event of held.splice(0)) drawNow(event);
    },
    end() {
      this.resume();
      clearInterval(timer);
      output.progress(undefined);
    },
  };
}

/** A step that a person ended has not failed. */
function isCancelled({ data: { problem } }: RunEvent): boolean {
  return typeof problem === 'object' && problem !== null && 'code' in problem && problem.code === 'cancelled';
}

function slower(usual: UsualTimes, name: string, took: number): string {
  return isSlow(usual, name, took) ? `, usually ${duration(usual[name] ?? 0)}` : '';
}
