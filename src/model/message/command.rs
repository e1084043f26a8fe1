//! Sentences in place of commands that were left out, and of names in sentences with commands.

use super::{Beginning, messages};

messages! {
    /// Reason why a step of a remedy shows no command.
    pub enum CommandProblem {
        NotKnown
            = "the command is left out: a value in it is not known", "命令已省略：其中有未知的值";
        NoName { value: Beginning<String> }
            = "the command is left out: '{value}' is no name or path that can stand in a command",
              "命令已省略：“{value}”不是可以用在命令中的名称或路径";
        NoArgument { value: Beginning<String> }
            = "the command is left out: '{value}' would stand where the command allows no value",
              "命令已省略：“{value}”所在的位置不允许填入值";
    }
}

messages! {
    /// Name in a sentence with a command.
    pub enum CommandName {
        LeftOut = "(name left out)", "（名称已省略）";
    }
}
