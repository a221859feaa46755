<?xml version="1.0" encoding="UTF-8"?>
<!-- The answer on a page: the main quantities, charts, and how it was
     found. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <!-- The main quantities are the first ones. A sweep has no single answer to
       show. -->
  <xsl:template match="table" mode="figures">
    <xsl:if test="column[1]/@name = 'quantity'">
      <dl class="figures">
        <xsl:for-each select="row[position() &lt;= 4]">
          <div>
            <dt><xsl:value-of select="translate(cell[1], '_', ' ')"/></dt>
            <dd>
              <span class="value">
                <xsl:if test="cell[2]/@raw">
                  <xsl:attribute name="title"><xsl:value-of select="cell[2]/@raw"/></xsl:attribute>
                </xsl:if>
                <xsl:value-of select="cell[2]"/>
              </span>
              <xsl:if test="cell[3] != ''">
                <span class="sure">
                  <!-- A bracket includes its "in"; a ratio needs none. -->
                  <xsl:if test="not(starts-with(cell[3], 'in '))">= </xsl:if>
                  <xsl:value-of select="cell[3]"/>
                </span>
              </xsl:if>
              <xsl:if test="cell[4] != '' and cell[4] != '1'">
                <span class="unit"><xsl:value-of select="cell[4]"/></span>
              </xsl:if>
            </dd>
          </div>
        </xsl:for-each>
      </dl>
    </xsl:if>
  </xsl:template>

  <!-- A chart, and a link to its numbers. -->
  <xsl:key name="tables" match="table" use="concat(../@id, ' ', @name)"/>

  <xsl:template match="chart">
    <figure id="{@id}">
      <xsl:if test="@width &gt; 640">
        <xsl:attribute name="class">wide</xsl:attribute>
      </xsl:if>
      <div class="scroll" role="region" tabindex="0" aria-labelledby="{@id}-caption">
        <xsl:apply-templates select="." mode="svg"/>
      </div>
      <figcaption>
        <span id="{@id}-caption" class="name"><xsl:value-of select="@title"/></span>
        <xsl:if test="not($alone)">
          <span class="of"><xsl:value-of select="@of"/></span>
        </xsl:if>
        <xsl:if test="@description != ''">
          <xsl:value-of select="concat(' ', @description)"/>
        </xsl:if>
        <xsl:apply-templates select="." mode="data"/>
        <xsl:if test="@note != ''">
          <span class="aside"><xsl:value-of select="@note"/>.</span>
        </xsl:if>
      </figcaption>
    </figure>
  </xsl:template>

  <xsl:template match="chart" mode="data">
    <xsl:variable name="tables" select="key('tables', concat(../@id, ' ', @data))"/>
    <xsl:if test="$tables">
      <xsl:text> </xsl:text>
      <a>
        <xsl:attribute name="href">
          <xsl:choose>
            <xsl:when test="count($tables) = 1 or $tables/@id = concat(../@id, '-quantities')">
              <xsl:value-of select="concat('#', $tables[1]/@id)"/>
            </xsl:when>
            <xsl:otherwise>
              <xsl:value-of select="concat('#', ../@id, '-section-Tables')"/>
            </xsl:otherwise>
          </xsl:choose>
        </xsl:attribute>
        <xsl:text>Its numbers: </xsl:text>
        <xsl:value-of select="translate(@data, '_', ' ')"/>
      </a>
    </xsl:if>
  </xsl:template>

  <!-- How it was found. -->
  <xsl:template match="report" mode="formulas">
    <xsl:element name="{$subheading}">
      <xsl:attribute name="class">work-name</xsl:attribute>
      <xsl:text>How it was found</xsl:text>
    </xsl:element>
    <xsl:apply-templates select="formula"/>
  </xsl:template>

  <xsl:template match="formula">
    <details class="work">
      <summary>
        <span class="name"><xsl:value-of select="@quantity"/></span>
        <xsl:if test="@value != ''">
          <xsl:text> </xsl:text>
          <span class="value"><xsl:value-of select="concat(@value, @place)"/></span>
        </xsl:if>
      </summary>
      <xsl:if test="line">
        <div class="formula" role="region" tabindex="0" aria-label="{concat(@quantity, @place)}">
          <xsl:apply-templates select="line"/>
        </div>
      </xsl:if>
      <xsl:if test="step">
        <dl class="steps"><xsl:apply-templates select="step"/></dl>
      </xsl:if>
      <xsl:if test="@meaning != ''">
        <p><xsl:value-of select="@meaning"/></p>
      </xsl:if>
      <p class="from">
        <xsl:value-of select="concat('Method: ', @method)"/>
        <xsl:if test="@source != ''">
          <xsl:text>; source: </xsl:text>
          <xsl:call-template name="source">
            <xsl:with-param name="text" select="@source"/>
            <xsl:with-param name="report" select="../@id"/>
          </xsl:call-template>
        </xsl:if>
      </p>
    </details>
  </xsl:template>

  <!-- A formula, or another form of it. -->
  <xsl:template match="formula/line | step/line">
    <span class="line">
      <xsl:if test="preceding-sibling::line">= </xsl:if>
      <xsl:copy-of select="node()"/>
    </span>
  </xsl:template>

  <xsl:template match="formula/step">
    <div>
      <dt><xsl:copy-of select="name/node()"/></dt>
      <dd>
        <xsl:apply-templates select="line"/>
        <xsl:if test="@meaning != ''">
          <span class="meaning"><xsl:value-of select="@meaning"/></span>
        </xsl:if>
      </dd>
    </div>
  </xsl:template>
</xsl:stylesheet>
