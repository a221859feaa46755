<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables in LaTeX for \input in a paper: those that the report shows, with
     the rules of booktabs. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:view="urn:netbound:view" xmlns:nb="urn:netbound:style"
    exclude-result-prefixes="view nb">

  <view:wants rows="5000"/>

  <xsl:output method="text" encoding="UTF-8"/>

  <xsl:include href="parts/table_words.xsl"/>
  <xsl:include href="parts/latex_head.xsl"/>
  <xsl:include href="parts/latex_cells.xsl"/>
  <xsl:include href="parts/latex_wide.xsl"/>

  <!-- Longer tables continue on the next page. -->
  <xsl:variable name="page" select="40"/>

  <xsl:template match="/view">
    <xsl:for-each select="report[@digest = 'broken']">
      <xsl:value-of select="concat('% NOT AS IT WAS WRITTEN, its digest is broken: ',
                            normalize-space(@file), '&#10;')"/>
    </xsl:for-each>
    <xsl:value-of select="concat('% Made by ', @program, '; needs \usepackage{booktabs}')"/>
    <xsl:if test="report/table[@shown != 'no'][count(row) &gt; $page or
                  (@kind = 'quantities' and column/@swept and
                   count(column[not(@swept)]) &gt; $page)]">
      <xsl:text> and \usepackage{longtable}</xsl:text>
    </xsl:if>
    <xsl:text>&#10;% Sources are keys of data/references.bib: with it, say&#10;</xsl:text>
    <xsl:text>% \newcommand{\netboundsource}[2]{\cite[#2]{#1}} before.&#10;</xsl:text>
    <xsl:text>\providecommand{\netboundsource}[2]{#1, #2}&#10;</xsl:text>
    <xsl:apply-templates select="report"/>
  </xsl:template>

  <xsl:template match="report">
    <xsl:value-of select="concat('&#10;% ', normalize-space(@question), '&#10;')"/>
    <xsl:for-each select="note[@place = '']">
      <xsl:value-of select="concat('% ', @name, ': ', normalize-space(.), '&#10;')"/>
    </xsl:for-each>
    <xsl:apply-templates select="table[@shown != 'no'][row]"/>
  </xsl:template>

  <!-- Unchanged if it fits the page; otherwise turned if that helps or the
       points are few, or split into parts. -->
  <xsl:template match="table">
    <xsl:variable name="kinds">
      <xsl:apply-templates select="column" mode="kind"/>
    </xsl:variable>
    <xsl:variable name="widths">
      <xsl:for-each select="column">
        <xsl:apply-templates select="." mode="width">
          <xsl:with-param name="kind" select="substring($kinds, position(), 1)"/>
          <xsl:with-param name="place" select="position()"/>
        </xsl:apply-templates>
      </xsl:for-each>
    </xsl:variable>
    <xsl:variable name="long">
      <xsl:call-template name="line">
        <xsl:with-param name="kinds" select="$kinds"/>
        <xsl:with-param name="widths" select="$widths"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="quantities" select="count(column[not(@swept)])"/>
    <!-- Row by row this would be slow for a long table. -->
    <xsl:variable name="turned">
      <xsl:if test="count(row) &lt; $quantities">
        <xsl:apply-templates select="." mode="turned-line"/>
      </xsl:if>
    </xsl:variable>
   <piece>
    <xsl:choose>
      <xsl:when test="3.4 * $long + 4 * string-length(translate($kinds, '0', '')) &lt;= 345">
        <xsl:apply-templates select="." mode="whole">
          <xsl:with-param name="kinds" select="$kinds"/>
          <xsl:with-param name="widths" select="$widths"/>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:when test="@kind = 'quantities' and column/@swept and
                      count(row) &lt; $quantities and
                      (4 * count(row) &lt;= $quantities or
                       3.4 * $turned + 4 * (count(row) + 2) &lt;= 345)">
        <xsl:apply-templates select="." mode="turned">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:otherwise>
        <xsl:apply-templates select="." mode="parts">
          <xsl:with-param name="kinds" select="$kinds"/>
          <xsl:with-param name="widths" select="$widths"/>
        </xsl:apply-templates>
      </xsl:otherwise>
    </xsl:choose>
   </piece>
  </xsl:template>

  <!-- All columns except those that the kinds leave out. -->
  <xsl:template match="table" mode="whole">
    <xsl:param name="kinds"/>
    <xsl:param name="widths"/>
    <xsl:param name="number" select="1"/>
    <xsl:variable name="long">
      <xsl:call-template name="line">
        <xsl:with-param name="kinds" select="$kinds"/>
        <xsl:with-param name="widths" select="$widths"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:call-template name="float">
      <xsl:with-param name="number" select="$number"/>
      <xsl:with-param name="size">
        <xsl:call-template name="size">
          <xsl:with-param name="long" select="$long"/>
          <xsl:with-param name="columns" select="string-length(translate($kinds, '0', ''))"/>
        </xsl:call-template>
      </xsl:with-param>
      <xsl:with-param name="columns">
        <xsl:call-template name="columns">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:call-template>
      </xsl:with-param>
      <xsl:with-param name="head">
        <xsl:apply-templates select="." mode="head">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:apply-templates>
      </xsl:with-param>
      <xsl:with-param name="rows">
        <xsl:apply-templates select="row">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:apply-templates>
      </xsl:with-param>
    </xsl:call-template>
  </xsl:template>

  <!-- A float, or a table over several pages. number: of the part, if the
       table is split. -->
  <xsl:template name="float">
    <xsl:param name="lines" select="count(row)"/>
    <xsl:param name="number" select="1"/>
    <xsl:param name="size"/>
    <xsl:param name="columns"/>
    <xsl:param name="head"/>
    <xsl:param name="rows"/>
    <xsl:variable name="titled">
      <xsl:text>\caption{</xsl:text>
      <xsl:apply-templates select="." mode="caption"/>
      <xsl:if test="$number &gt; 1"> (continued)</xsl:if>
      <xsl:text>}\label{tab:</xsl:text>
      <xsl:apply-templates select="." mode="label"/>
      <xsl:if test="$number &gt; 1"><xsl:value-of select="concat('-part-', $number)"/></xsl:if>
      <xsl:text>}</xsl:text>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="$lines &gt; $page">
        <xsl:value-of select="concat('{', $size, '%&#10;\begin{longtable}{', $columns,
                              '}&#10;  ', $titled, '\\[\smallskipamount]&#10;',
                              $head, '  \endfirsthead&#10;', $head,
                              '  \endhead&#10;  \bottomrule&#10;  \endlastfoot&#10;',
                              $rows, '\end{longtable}%&#10;}&#10;')"/>
        <xsl:apply-templates select="." mode="foot"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="concat('\begin{table}&#10;  \centering&#10;  ', $titled,
                              '\par\smallskip&#10;')"/>
        <xsl:if test="$size != ''">
          <xsl:value-of select="concat('  ', $size, '&#10;')"/>
        </xsl:if>
        <xsl:value-of select="concat('  \begin{tabular}{', $columns, '}&#10;', $head, $rows,
                              '  \bottomrule&#10;  \end{tabular}&#10;')"/>
        <xsl:apply-templates select="." mode="foot"/>
        <xsl:text>\end{table}&#10;</xsl:text>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="words">
    <xsl:param name="text"/>
    <xsl:value-of select="nb:latex($text)"/>
  </xsl:template>

  <!-- If several options are swept, the first one groups the rows. -->
  <!-- The result is text, so its elements do not show. They keep its pieces
       separate; otherwise each addition would copy all text before it. -->
  <xsl:template match="row">
    <xsl:param name="kinds"/>
   <piece>
    <xsl:if test="../column[2]/@swept and
                  preceding-sibling::row[1]/cell[1] != cell[1]">
      <xsl:text>  \addlinespace&#10;</xsl:text>
    </xsl:if>
    <xsl:text>  </xsl:text>
    <xsl:for-each select="cell">
      <xsl:variable name="place" select="position()"/>
      <xsl:variable name="kind" select="substring($kinds, $place, 1)"/>
      <xsl:if test="$kind != '0'">
        <xsl:if test="translate(substring($kinds, 1, $place - 1), '0', '') != ''"> &amp; </xsl:if>
        <xsl:apply-templates select="." mode="set">
          <xsl:with-param name="kind" select="$kind"/>
        </xsl:apply-templates>
      </xsl:if>
    </xsl:for-each>
    <xsl:text> \tabularnewline&#10;</xsl:text>
   </piece>
  </xsl:template>

  <!-- Why some cells have no value: the refusal, if a point was refused. -->
  <xsl:template match="table" mode="gaps">
    <xsl:variable name="refused" select="../note[@name = 'refused']"/>
    <xsl:text>A dash: no value here. </xsl:text>
    <xsl:for-each select="$refused[position() &lt;= 3]">
      <xsl:value-of select="concat('Refused', nb:latex(@place), ': ', nb:latex(.), '. ')"/>
    </xsl:for-each>
    <xsl:if test="count($refused) &gt; 3">
      <xsl:value-of select="concat('And ', count($refused) - 3, ' more refused. ')"/>
    </xsl:if>
  </xsl:template>

  <!-- Below a table: what is left out, and the sources of its numbers. -->
  <xsl:template match="table" mode="foot">
    <xsl:variable name="is-broken" select="../@digest = 'broken'"/>
    <!-- As parts/latex_cells.xsl sets them. -->
    <xsl:variable name="has-gaps" select="row/cell[. = '-']"/>
    <xsl:if test="@rows &gt; count(row) or source or $is-broken or $has-gaps">
      <xsl:text>  \par\smallskip{\footnotesize\centering </xsl:text>
      <xsl:if test="$is-broken">
        <xsl:text>\textbf{The report was changed after it was written: its digest is broken.} </xsl:text>
      </xsl:if>
      <xsl:if test="@rows &gt; count(row)">
        <xsl:value-of select="concat('The first ', count(row), ' of ', @rows, ' rows. ')"/>
      </xsl:if>
      <xsl:if test="$has-gaps">
        <xsl:apply-templates select="." mode="gaps"/>
      </xsl:if>
      <xsl:for-each select="source">
        <xsl:choose>
          <xsl:when test="position() = 1 and last() = 1">Source: </xsl:when>
          <xsl:when test="position() = 1">Sources: </xsl:when>
          <xsl:otherwise>; </xsl:otherwise>
        </xsl:choose>
        <xsl:call-template name="source">
          <xsl:with-param name="text" select="string(.)"/>
        </xsl:call-template>
      </xsl:for-each>
      <xsl:text>\par}&#10;</xsl:text>
    </xsl:if>
  </xsl:template>

  <!-- Key, place: a key ends in a year. The first of several is enough to
       recognise keys. -->
  <xsl:template name="source">
    <xsl:param name="text"/>
    <xsl:variable name="key" select="substring-before($text, ', ')"/>
    <xsl:variable name="year" select="substring($key, string-length($key) - 3)"/>
    <xsl:choose>
      <xsl:when test="string-length($key) &gt; 4 and not(contains($text, ';'))
                      and not(contains($key, ' ')) and
                      translate($year, '0123456789', '') = ''">
        <xsl:value-of select="concat('\netboundsource{', nb:latex($key), '}{',
                              nb:latex(substring-after($text, ', ')), '}')"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="nb:latex($text)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The file's name, otherwise the title, in letters, digits and dashes. -->
  <xsl:template match="table" mode="label">
    <xsl:variable name="name">
      <xsl:choose>
        <xsl:when test="../@file != ''">
          <xsl:call-template name="base">
            <xsl:with-param name="path" select="../@file"/>
          </xsl:call-template>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="normalize-space(../@title)"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="low" select="translate($name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ _',
                                     'abcdefghijklmnopqrstuvwxyz--')"/>
    <xsl:variable name="plain"
        select="translate($low, translate($low, 'abcdefghijklmnopqrstuvwxyz0123456789-', ''), '')"/>
    <xsl:variable name="short" select="substring(concat($plain, substring(../@command, 1 div ($plain = ''))), 1, 50)"/>
    <xsl:variable name="most" select="string-length($short)"/>
    <xsl:value-of select="substring($short, 1, $most - (substring($short, $most) = '-'))"/>
    <xsl:if test="@number &gt; 1">
      <xsl:value-of select="concat('-', @number)"/>
    </xsl:if>
  </xsl:template>

  <!-- a/b.c/table.xml: table -->
  <xsl:template name="base">
    <xsl:param name="path"/>
    <xsl:choose>
      <xsl:when test="contains($path, '/')">
        <xsl:call-template name="base">
          <xsl:with-param name="path" select="substring-after($path, '/')"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="substring($path, string-length($path) - 3) = '.xml'">
        <xsl:value-of select="substring($path, 1, string-length($path) - 4)"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$path"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
