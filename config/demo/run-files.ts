// Code, output and media of the runs of a demo.
import { chances } from './chances.js';
import { totalSteps, type Point } from './curves.js';
import type { Plan } from './plans.js';

export const classes = ['bicycle', 'bus', 'car', 'pedestrian', 'sign', 'signal'] as const;

export const codeOf = ({ family, augment, schedule }: Plan): string => `import torch
from street_scenes import StreetScenes
from models import build_model


def train(config):
    model = build_model("${family.name}", classes=${classes.length}, dropout=config.dropout)
    data = StreetScenes("train", augment="${augment}", size=config.image_size)
    optimizer = build_optimizer(model, lr=config.lr, weight_decay=config.weight_decay)
    schedule = build_schedule(optimizer, "${schedule}", steps=config.steps)
    for step, (images, labels) in enumerate(data.batches(config.batch_size)):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 25 == 0:
            log({"train/loss": loss.item(), "train/grad_norm": norm.item()}, step=step)
    return model
`;

export const errorOf = ({ outcome, imageSize }: Plan): string | undefined =>
  outcome === 'crashed'
    ? `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${(imageSize / 90).toFixed(2)} GiB.`
    : outcome === 'diverged'
      ? 'FloatingPointError: train/loss is not a number'
      : undefined;

export interface OutputLine {
  readonly output: string;
  readonly stderr: boolean;
}

/** What a run printed, a line for each time it was validated. */
export const outputOf = (plan: Plan, points: readonly Point[]): readonly OutputLine[] => {
  const at = (metric: string, step: number) =>
    points.find((one) => one.metric === metric && one.step === step)?.value.toFixed(4) ?? '-';
  const line = (output: string, stderr = false): OutputLine => ({ output: `${output}\n`, stderr });
  const validated = points.filter(({ metric }) => metric === 'val/accuracy');
  const error = errorOf(plan);
  return [
    line(`building ${plan.family.name} with ${plan.family.millions} M parameters`),
    line('street-scenes: 18432 images for training, 2048 for validation'),
    ...(plan.lr > 3e-3
      ? [line(`UserWarning: a learning rate of ${plan.lr} is high for this model`, true)]
      : []),
    ...validated.map(({ step, epoch }) =>
      line(
        `epoch ${epoch + 1}  step ${step}/${totalSteps}  loss ${at('train/loss', step)}  val loss ${at('val/loss', step)}  val accuracy ${at('val/accuracy', step)}`,
      ),
    ),
    ...(error === undefined
      ? []
      : [
          line('Traceback (most recent call last):', true),
          line('  File "train.py", line 12, in train', true),
          line('    loss = torch.nn.functional.cross_entropy(model(images), labels)', true),
          line(error, true),
        ]),
  ];
};

/** A confusion matrix whose diagonal holds the share that was right. */
export const confusionOf = ({ seed }: Plan, accuracy: number): string => {
  const chance = chances(seed + 500);
  const matrix = classes.map((_, row) => {
    const total = 300 + Math.round(chance.next() * 120);
    const right = Math.round(total * Math.min(0.995, accuracy + chance.around(0.08)));
    const weights = classes.map((__, column) =>
      column === row ? 0 : chance.next() / (1 + Math.abs(column - row)),
    );
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map((weight, column) =>
      column === row ? right : Math.round(((total - right) * weight) / sum),
    );
  });
  return JSON.stringify({
    version: 1,
    type: 'confusion-matrix',
    title: 'Validation',
    labels: classes,
    matrix,
  });
};

/** A ROC curve that is the steeper, the better the model. */
export const rocOf = (accuracy: number): string => {
  const x = Array.from({ length: 41 }, (_, at) => at / 40);
  const bend = 1 - accuracy;
  return JSON.stringify({ name: 'roc', x, y: x.map((one) => one ** Math.max(0.05, bend)) });
};

/** What was predicted of some images, as a table. */
export const predictionsOf = ({ seed }: Plan, accuracy: number): string => {
  const chance = chances(seed + 900);
  const rows = Array.from({ length: 40 }, (_, at) => {
    const label = chance.pick(classes);
    const predicted = chance.next() < accuracy ? label : chance.pick(classes);
    const confidence = predicted === label ? 0.7 + chance.next() * 0.3 : 0.35 + chance.next() * 0.4;
    return `scene-${String(at).padStart(4, '0')}.png,${label},${predicted},${confidence.toFixed(3)}`;
  });
  return ['image,label,predicted,confidence', ...rows].join('\n');
};
