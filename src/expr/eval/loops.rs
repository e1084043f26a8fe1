//! Loops over lists and maps: `exists all exists_one filter map sortBy`.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::expr::eval::closed::ClosedLoop;
use crate::expr::eval::compare::member_sort;
use crate::expr::eval::elements::{Element, is_list};
use crate::expr::eval::evaluation::{Bound, Evaluation, Variables};
use crate::expr::eval::limits::MAX_ITEMS;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::parse::ast::{Ast, Macro, MacroKind, Op};
use crate::expr::scope::Slot;
use crate::model::message::Reason;

/// Code that runs for every element, with the variables bound to it.
pub(in crate::expr) type Body<'b, 'a> = &'b mut dyn FnMut(&Bound<'_, 'a>, Element<'a>) -> Result<ControlFlow<()>, Stop>;

impl<'a> Evaluation<'_, 'a> {
    pub(in crate::expr) fn run_macro(&self, found: &Macro, variables: Variables<'_, 'a>) -> Answer<'a> {
        match found.kind {
            MacroKind::Exists => self.exists(found, variables, true).map(Value::Bool),
            MacroKind::All => self.exists(found, variables, false).map(|missing| Value::Bool(!missing)),
            MacroKind::ExistsOne => self.exists_one(found, variables),
            MacroKind::Filter => self.filter(found, variables),
            MacroKind::Map | MacroKind::Keys => self.map_elements(found, variables),
            MacroKind::SortBy => self.sort_by(found, variables),
        }
    }

    /// Runs a loop that reads nothing of the combination, once for all of them.
    pub(in crate::expr) fn run_closed(&self, number: u64, found: &Macro) -> Answer<'a> {
        if let Some(known) = self.world.closed.get(number) {
            return known.value.clone().map_err(Stop::from);
        }
        let answer = self.run_macro(found, None);
        match &answer {
            Ok(value) => {
                self.world.budget.keep_value(value)?;
                self.world.closed.keep(number, Ok(value));
            }
            Err(Stop::Undecided(reason)) => self.world.closed.keep(number, Err(reason)),
            Err(Stop::Wrong(_)) => {}
        }
        answer
    }

    /// Returns the list of a node whose items are hashed.
    pub(in crate::expr) fn closed_list(&self, ast: &Ast) -> Option<Arc<ClosedLoop>> {
        let Op::Macro(found) = &ast.op else { return None };
        let known = self.world.closed.get(found.closed?)?;
        matches!(known.value, Ok(Value::List(_))).then_some(known)
    }

    /// Returns true if the body yields `wanted` for one element; `all` searches for a false one.
    fn exists(&self, found: &Macro, variables: Variables<'_, 'a>, wanted: bool) -> Result<bool, Stop> {
        let (mut answer, mut stopped) = (false, None);
        self.each(found, variables, None, &mut |bound, _| {
            match self.holds(&found.body, Some(bound)) {
                Ok(held) if held == wanted => {
                    answer = true;
                    return Ok(ControlFlow::Break(()));
                }
                Ok(_) => {}
                Err(stop) => stopped = Some(Stop::join(stopped.take(), stop)),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        match stopped {
            Some(stop) if !answer => Err(stop),
            _ => Ok(answer),
        }
    }

    fn exists_one(&self, found: &Macro, variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut count = 0_usize;
        self.each(found, variables, None, &mut |bound, _| {
            if self.keeps(&found.body, bound)? {
                count += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Value::Bool(count == 1))
    }

    /// Tests a condition on an element: data of the wrong type makes it false for this element only.
    pub fn keeps(&self, condition: &Ast, bound: &Bound<'_, 'a>) -> Result<bool, Stop> {
        match self.holds(condition, Some(bound)) {
            Err(Stop::Wrong(wrong)) => {
                self.world.note(self.text, *wrong);
                Ok(false)
            }
            other => other,
        }
    }

    /// Keeps elements of a list or entries of a map.
    fn filter(&self, found: &Macro, variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut items = Vec::new();
        let mut entries = Vec::new();
        let is_list = self.each(found, variables, None, &mut |bound, element| {
            if self.keeps(&found.body, bound)? {
                self.world.budget.item()?;
                entries.push(element.key);
                items.push(element.value);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if is_list {
            return Ok(Value::list(items));
        }
        let names = entries.into_iter().filter_map(|key| if let Value::Str(text) = key { Some(text) } else { None });
        Ok(Value::Map(names.zip(items).collect()))
    }

    fn map_elements(&self, found: &Macro, variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut items = Vec::new();
        self.each(found, variables, None, &mut |bound, _| {
            let kept = match &found.filter {
                Some(filter) => self.keeps(filter, bound)?,
                None => true,
            };
            if kept {
                match self.eval(&found.body, Some(bound)) {
                    // The `exists` that these keys replace skips wrong elements as well.
                    Err(Stop::Wrong(_)) if found.kind == MacroKind::Keys => {}
                    value => {
                        self.world.budget.item()?;
                        items.push(value?);
                    }
                }
            }
            if items.len() > MAX_ITEMS {
                return Err(Stop::undecided(Reason::ListTooLong { most: MAX_ITEMS }));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Value::list(items))
    }

    /// Elements without key come last.
    fn sort_by(&self, found: &Macro, variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut items = Vec::new();
        self.each(found, variables, None, &mut |bound, element| {
            self.world.budget.item()?;
            items.push((self.eval(&found.body, Some(bound))?, element.value));
            Ok(ControlFlow::Continue(()))
        })?;
        member_sort(&mut items)?;
        Ok(Value::list(items.into_iter().map(|(_, value)| value).collect()))
    }

    /// Runs `body` with the variables bound to each element; returns true if the value is a list.
    pub fn each(
        &self,
        found: &Macro,
        variables: Variables<'_, 'a>,
        root: Option<Slot>,
        body: Body<'_, 'a>,
    ) -> Result<bool, Stop> {
        let range = self.operand(&found.range, variables)?;
        let is_list = is_list(range.get()) || range.get().is_null();
        let mut stopped = None;
        let visited = member::visit(self.world, range.get(), &mut |element| match self
            .world
            .budget
            .step(1)
            .map_err(Stop::from)
            .and_then(|()| bind(found.pair, is_list, element, root, variables, body))
        {
            Ok(flow) => flow,
            Err(stop) => {
                stopped = Some(stop);
                ControlFlow::Break(())
            }
        });
        visited.map_err(|stop| self.place_at(stop, &found.range, variables))?;
        stopped.map_or(Ok(is_list), Err)
    }
}

fn bind<'a>(
    pair: bool,
    is_list: bool,
    element: Element<'a>,
    root: Option<Slot>,
    outer: Variables<'_, 'a>,
    body: Body<'_, 'a>,
) -> Result<ControlFlow<()>, Stop> {
    let place = element.place;
    if pair {
        let key = Bound { value: element.key.clone(), place: None, root: None, outer };
        let value = Bound { value: element.value.clone(), place, root, outer: Some(&key) };
        return body(&value, element);
    }
    let (value, place) = if is_list { (element.value.clone(), place) } else { (element.key.clone(), None) };
    body(&Bound { value, place, root, outer }, element)
}
