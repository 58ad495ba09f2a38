// The groups that are selected, and which of their files go.

// True for further pages of a file, which go with it.
function isFurtherPage(path) {
  return /\[\d+\]$/.test(path);
}

// Returns what tells a group from others, also after its number has changed.
export function keyOf(group) {
  return group.files.map((file) => file.path).sort().join('\0');
}

// A group and which of its files go: at first those that are proposed to.
class Choice {
  constructor(group) {
    this.group = group;
    this.key = keyOf(group);
    this.going = new Set(group.files.filter((file) => file.proposal === 'go').map((file) => file.path));
  }

  // "keep" or "go"; "unknown" where nothing is proposed.
  stateOf(file) {
    if (file.proposal === 'unknown') return 'unknown';
    return this.going.has(file.path) ? 'go' : 'keep';
  }

  canChange(file) {
    return file.proposal !== 'unknown' && !isFurtherPage(file.path);
  }

  // Sets whether a file goes. Returns false if none would stay.
  set(path, goes) {
    const stays = this.group.files.filter((file) => file.path !== path && !this.going.has(file.path) &&
      file.proposal !== 'unknown');
    if (goes && stays.length === 0) return false;
    if (goes) this.going.add(path);
    else this.going.delete(path);
    return true;
  }

  // Keeps a file instead of the one that would stay for it.
  keepInstead(file) {
    this.going.delete(file.path);
    this.going.add(file.of);
  }

  // Returns the files that go, each with the path of one that stays for it.
  entries() {
    const stays = this.group.files.filter((file) => !this.going.has(file.path) && file.proposal !== 'unknown');
    return this.group.files.filter((file) => this.going.has(file.path) && this.canChange(file)).map((file) => ({
      group: this.group.group,
      path: file.path,
      stays: (stays.find((other) => other.path === file.of) ?? stays[0]).path,
      size_bytes: file.size_bytes,
    }));
  }
}

// The selected groups, by their files.
export class Selection {
  #choices = new Map();

  constructor(changed) {
    this.changed = changed;
  }

  // Returns the choice of a group: the selected one, if there is one.
  choiceOf(group) {
    return this.#choices.get(keyOf(group)) ?? new Choice(group);
  }

  has(choice) {
    return this.#choices.has(choice.key);
  }

  set(choices, isSelected) {
    for (const choice of choices) {
      if (isSelected) this.#choices.set(choice.key, choice);
      else this.#choices.delete(choice.key);
    }
    this.changed();
  }

  clear() {
    this.#choices.clear();
    this.changed();
  }

  get groups() {
    return this.#choices.size;
  }

  entries() {
    return [...this.#choices.values()].flatMap((choice) => choice.entries());
  }
}
