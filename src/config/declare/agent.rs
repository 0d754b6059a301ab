//! How an agent is declared: the keys of `[agents.NAME]`, and of a chair that has them as its own.

use crate::config::report::Said;
use crate::config::splice::Style;
use crate::config::string::Text;
use crate::config::table::Table;
use crate::domain::{Rerun, StallAction, Stdin, StopSignal, Unconfirmed};

/// The keys of an agent, none of them needed.
#[derive(Debug, Clone, Default)]
pub(in crate::config) struct AgentDecl {
    pub driver: Option<Text>,
    pub run: Option<Text>,
    pub argv: Option<Said<Vec<Text>>>,
    pub script: Option<Said<Vec<Vec<Text>>>>,
    pub stdin: Option<Said<Stdin>>,
    pub instructions: Option<Text>,
    pub env: Vec<Text>,
    pub cwd: Option<Text>,
    pub time: Option<Said<u64>>,
    pub stall: Option<Said<u64>>,
    pub stall_action: Option<StallAction>,
    pub stop: Option<StopSignal>,
    pub steps: Option<u32>,
    pub rerun: Option<Rerun>,
    pub retries: Option<u32>,
    pub cost: Option<Said<u64>>,
    pub exit: Option<Said<Vec<i32>>>,
    pub unconfirmed: Option<Unconfirmed>,
    /// The first key that only drivers with a model have.
    pub model: Option<Text>,
    /// What says how it runs was of the wrong kind, and reported.
    pub is_broken: bool,
}

const LINE_KEYS: [&str; 5] = ["driver", "run", "argv", "script", "agent"];

impl AgentDecl {
    /// Reads an agent's keys.
    pub fn read(table: &Table<'_>) -> Self {
        let word = |key| table.text(key).map(|text| text.value);
        Self {
            driver: table.text("driver"),
            run: table.text("run"),
            argv: table.texts("argv"),
            script: table.lines("script"),
            stdin: table.text("stdin").map(|text| Said {
                value: if text.value == "prompt" { Stdin::Prompt } else { Stdin::Null },
                at: text.at,
            }),
            instructions: table.text("instructions"),
            env: table.texts("env").map(|said| said.value).unwrap_or_default(),
            cwd: table.text("cwd"),
            time: table.duration("time"),
            stall: table.duration("stall"),
            stall_action: word("stall_action")
                .map(|word| if word == "fail" { StallAction::Fail } else { StallAction::Tell }),
            stop: word("stop").map(|word| match word.as_str() {
                "INT" => StopSignal::Int,
                "HUP" => StopSignal::Hup,
                "QUIT" => StopSignal::Quit,
                _ => StopSignal::Term,
            }),
            steps: table.whole("steps").map(|said| said.value),
            rerun: word("rerun").map(|word| if word == "safe" { Rerun::Safe } else { Rerun::Ask }),
            retries: table.whole("retries").map(|said| said.value),
            cost: table.money("cost"),
            exit: table.exits("exit"),
            unconfirmed: word("unconfirmed")
                .map(|word| if word == "accept" { Unconfirmed::Accept } else { Unconfirmed::Review }),
            model: table.first_of(&["model", "base_url", "tools"]).map(|entry| entry.key.clone()),
            is_broken: table.has_refused(&LINE_KEYS),
        }
    }

    /// The driver that these keys say, by name or by what they start.
    pub fn driver_word(&self) -> Option<&str> {
        let follows =
            self.line_keys().first().map(|(key, _)| if *key == "script" { "scripted" } else { "process" });
        self.driver.as_ref().map(|driver| driver.value.as_str()).or(follows)
    }

    /// Where it says how it runs, if it says all of it.
    pub fn whole_at(&self) -> Option<std::ops::Range<usize>> {
        let person = self.driver.as_ref().filter(|driver| driver.value == "human");
        self.line_keys().first().map(|(_, at)| at.clone()).or_else(|| person.map(|driver| driver.at.clone()))
    }

    /// The keys that say what is started, in the order of the file.
    pub fn line_keys(&self) -> Vec<(&'static str, std::ops::Range<usize>)> {
        let run = self.run.as_ref().map(|text| ("run", text.at.clone()));
        let argv = self.argv.as_ref().map(|said| ("argv", said.at.clone()));
        let script = self.script.as_ref().map(|said| ("script", said.at.clone()));
        let mut keys: Vec<_> = [run, argv, script].into_iter().flatten().collect();
        keys.sort_by_key(|(_, at)| at.start);
        keys
    }

    /// These keys on top of an agent's: what is started is taken whole from one of them, `env` adds up.
    pub fn over(self, base: &Self) -> Self {
        let below = self.lines_below(base);
        let own_line = !self.line_keys().is_empty();
        let env = base.env.iter().cloned().chain(self.env).collect();
        Self {
            driver: self.driver.or_else(|| base.driver.clone().filter(|_| !own_line)),
            run: self.run.or(below.run),
            argv: self.argv.or(below.argv),
            script: self.script.or(below.script),
            stdin: self.stdin.or(below.stdin),
            instructions: self.instructions.or_else(|| base.instructions.clone()),
            env,
            cwd: self.cwd.or_else(|| base.cwd.clone()),
            time: self.time.or_else(|| base.time.clone()),
            stall: self.stall.or_else(|| base.stall.clone()),
            stall_action: self.stall_action.or(base.stall_action),
            stop: self.stop.or(base.stop),
            steps: self.steps.or(base.steps),
            rerun: self.rerun.or(base.rerun),
            retries: self.retries.or(base.retries),
            cost: self.cost.or_else(|| base.cost.clone()),
            exit: self.exit.or_else(|| base.exit.clone()),
            unconfirmed: self.unconfirmed.or(base.unconfirmed),
            model: self.model.or_else(|| base.model.clone()),
            is_broken: self.is_broken || base.is_broken,
        }
    }

    /// Of what the agent below starts, the part that fits what these keys say.
    fn lines_below(&self, base: &Self) -> Self {
        let own = self.driver.as_ref().map(|driver| driver.value.as_str());
        let same = own.is_none() || own == base.driver_word();
        let stdin = base.stdin.clone();
        if !self.line_keys().is_empty() {
            return Self { stdin, ..Self::default() };
        }
        if !same {
            return Self::default();
        }
        Self {
            run: base.run.clone(),
            argv: base.argv.clone(),
            script: base.script.clone(),
            stdin,
            ..Self::default()
        }
    }

    /// Every text in which variables stand.
    pub fn texts(&mut self, visit: &mut dyn FnMut(&mut Text, Style)) {
        if let Some(run) = &mut self.run {
            visit(run, Style::Shell);
        }
        let argv = self.argv.iter_mut().flat_map(|said| &mut said.value);
        let script = self.script.iter_mut().flat_map(|said| said.value.iter_mut().flatten());
        let plain = self.instructions.iter_mut().chain(&mut self.cwd).chain(&mut self.env);
        for text in argv.chain(script).chain(plain) {
            visit(text, Style::Plain);
        }
    }
}
